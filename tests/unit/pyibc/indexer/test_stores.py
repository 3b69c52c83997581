"""Settings of Hadoop's connectors for stores, used by PyArrow's file systems."""

import json
from contextlib import contextmanager
from types import SimpleNamespace

import pytest

pytest.importorskip("pyarrow")

import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import fs

from pyibc.indexer import read, stores
from pyibc.indexer.bronze.ranges import FileRange, lines_in
from pyibc.indexer.errors import StorageUnreachable, UnreadableInput, UnusableFolder
from tests.exported_chains import Chains
from tests.recorded_answers import header, results
from tests.s3_server import BUCKET, REFUSED, s3_server

KEYS = {"fs.s3a.access.key": "mine", "fs.s3a.secret.key": "secret"}


@pytest.fixture(autouse=True)
def fresh(monkeypatch):
    for name in ("ACCESS_KEY_ID", "SECRET_ACCESS_KEY", "SESSION_TOKEN", "ENDPOINT_URL", "REGION", "PROFILE"):
        monkeypatch.delenv(f"AWS_{name}", raising=False)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setattr(stores, "_used", {})


@pytest.fixture
def served(tmp_path):
    chains = Chains(tmp_path / "bucket" / "of two")
    for sequence in (1, 2):
        chains.relay(sequence, 5 * sequence)
    chains.write()
    with s3_server(tmp_path / "bucket", "mine") as (address, seen):
        yield {**KEYS, "fs.s3a.endpoint": f"http://{address}"}, seen


def types(url):
    return sorted(kind for batch in read(url) for kind in batch.column("type").to_pylist())


@pytest.mark.parametrize("scheme", ["s3", "s3a"])
def test_an_export_in_a_bucket_is_read_with_the_settings(served, scheme):
    settings, seen = served
    stores.set_settings(
        {**settings, "fs.s3a.endpoint.region": "mars-1", "fs.s3a.session.token": "a-token", "rows": "blocks"}
    )
    assert len(types(f"{scheme}://{BUCKET}/of%20two")) == 8
    assert types(f"{scheme}://{BUCKET}/of%20two/b-*") == sorted(2 * ["recv_packet", "write_acknowledgement"])
    assert seen == {"mars-1", "a-token"}


def test_settings_of_a_bucket_come_before_those_of_all(served):
    settings, _ = served
    stores.set_settings({**settings, f"fs.s3a.bucket.{BUCKET}.access.key": "other"})
    with pytest.raises(StorageUnreachable, match="ACCESS_DENIED"):
        types(f"s3a://{BUCKET}/of%20two")
    stores.set_settings(
        {**settings, "fs.s3a.access.key": "other", f"fs.s3a.bucket.{BUCKET}.access.key": "mine"}
    )
    assert len(types(f"s3a://{BUCKET}/of%20two")) == 8


def test_settings_of_a_store_are_replaced(served):
    settings, _ = served
    url, other = f"s3a://{BUCKET}/of%20two", "s3a://other/x"
    first = {**settings, "fs.s3a.session.token": "old", "fs.s3a.bucket.other.access.key": "its"}
    assert stores.use_for([url, other, "/data"], first.get) == {
        **{f"fs.s3a.bucket.{BUCKET}.{name[7:]}": value for name, value in settings.items()},
        **{f"fs.s3a.bucket.other.{name[7:]}": value for name, value in settings.items()},
        f"fs.s3a.bucket.{BUCKET}.session.token": "old",
        "fs.s3a.bucket.other.session.token": "old",
        "fs.s3a.bucket.other.access.key": "its",
    }
    stores.use_for([url], settings.get)
    assert f"fs.s3a.bucket.{BUCKET}.session.token" not in stores._used
    assert stores._used["fs.s3a.bucket.other.access.key"] == "its"
    assert len(types(url)) == 8
    stores.set_settings({name: value for name, value in settings.items() if "secret" not in name})
    with pytest.raises(StorageUnreachable, match=rf"cannot reach s3://{BUCKET}: .*secret_key"):
        types(url)


@pytest.mark.parametrize("name", ["a-1/blocks-000000000001.jsonl", "table.parquet", "others.json"])
def test_what_a_store_does_not_give_is_read_by_the_next_run(tmp_path, served, name):
    pytest.importorskip("duckdb")
    from deltalake import DeltaTable

    from pyibc.indexer import run_pipeline

    settings, _ = served
    bucket, out = tmp_path / "bucket" / "of two", tmp_path / "out"
    columns = {"chain_id": ["c-1"], "channel_id": ["channel-3"], "sequence": [7], "send_height": [20]}
    columns |= {name: [None] for name in ("send_time", "ack_height", "ack_time")}
    pq.write_table(pa.table(columns), bucket / "table.parquet")
    (bucket / "others.json").write_text(json.dumps([header(4, "d-1"), results(4, 1)]))
    stores.set_settings(settings)
    url = f"s3a://{BUCKET}/of%20two"
    with served_without(bucket / name), pytest.raises(StorageUnreachable, match="ACCESS_DENIED"):
        run_pipeline(url, out)
    run_pipeline(url, out)
    events = DeltaTable(str(out / "silver" / "packet_events")).to_pyarrow_table()
    assert sorted(events.column("chain").to_pylist()) == [*["a-1"] * 4, *["b-1"] * 4, "c-1", "d-1"]


@contextmanager
def served_without(file):
    """Refuse to give a file that is listed."""
    REFUSED.add(file)
    try:
        yield
    finally:
        REFUSED.remove(file)


@pytest.mark.parametrize(
    ("settings", "arguments"),
    [
        ({"endpoint": "minio:9000"}, {"endpoint_override": "minio:9000"}),
        ({"endpoint": "HTTPS://minio/"}, {"endpoint_override": "minio", "scheme": "https"}),
        (
            {"endpoint": " minio", "connection.ssl.enabled": "False"},
            {"endpoint_override": "minio", "scheme": "http"},
        ),
        ({"endpoint": "s3.eu-west-1.amazonaws.com"}, {"region": "eu-west-1"}),
        ({"endpoint": "s3.cn-north-1.amazonaws.com.cn"}, {"region": "cn-north-1"}),
        ({"endpoint": "s3.amazonaws.com", "endpoint.region": "eu-1"}, {"region": "eu-1"}),
    ],
)
def test_endpoints_and_regions(settings, arguments):
    stores.set_settings({**KEYS, **{f"fs.s3a.{name}": value for name, value in settings.items()}})
    found, path = stores.file_system("s3a://bucket/a%20b/")
    assert path == "bucket/a b"
    assert found.equals(fs.S3FileSystem(access_key="mine", secret_key="secret", **arguments))
    assert not found.equals(fs.S3FileSystem(access_key="mine", secret_key="secret", region="other"))


def test_providers_of_credentials():
    provider = "org.apache.hadoop.fs.s3a.AnonymousAWSCredentialsProvider"
    settings = {"fs.s3a.aws.credentials.provider": provider, "fs.s3a.endpoint": "minio", **KEYS}
    stores.set_settings(settings)
    found, _ = stores.file_system("s3a://bucket/x")
    assert found.equals(fs.S3FileSystem(anonymous=True, endpoint_override="minio"))
    simple = "org.apache.hadoop.fs.s3a.SimpleAWSCredentialsProvider"
    stores.set_settings(settings | {"fs.s3a.aws.credentials.provider": simple, "fs.s3a.session.token": "x"})
    found, _ = stores.file_system("s3a://bucket/x")
    assert found.equals(fs.S3FileSystem(access_key="mine", secret_key="secret", endpoint_override="minio"))


def test_the_default_for_a_bucket_comes_before_a_setting_for_all():
    settings = {
        "fs.s3a.connection.ssl.enabled": "false",
        "fs.s3a.bucket.safe.connection.ssl.enabled": "true",
        "fs.s3a.endpoint": "minio",
    }
    stores.set_settings({**settings, **KEYS})
    safe, other = (stores.file_system(f"s3a://{name}/x")[0] for name in ("safe", "other"))
    assert safe.equals(fs.S3FileSystem(access_key="mine", secret_key="secret", endpoint_override="minio"))
    assert other.equals(
        fs.S3FileSystem(access_key="mine", secret_key="secret", endpoint_override="minio", scheme="http")
    )


def test_defaults_of_hadoop_are_no_settings():
    defaults = {
        "fs.s3a.endpoint": "s3.amazonaws.com",
        "fs.s3a.connection.ssl.enabled": "true",
        "fs.s3a.aws.credentials.provider": "a.TemporaryProvider, a.AnonymousAWSCredentialsProvider",
        "fs.s3a.access.key": "",
    }
    assert stores.settings_for("s3a://bucket/x", defaults.get) == {}
    assert stores.settings_for("/data/exports", KEYS.get) == {}
    assert stores.settings_for("gs://bucket/x", KEYS.get) == {}
    assert stores.settings_for("s3a://bucket/x", KEYS.get) == {
        "fs.s3a.bucket.bucket.access.key": "mine",
        "fs.s3a.bucket.bucket.secret.key": "secret",
    }


def test_a_store_that_cannot_be_opened_is_no_property_of_a_file():
    stores.set_settings({"fs.s3a.access.key": "mine"})
    with pytest.raises(StorageUnreachable, match=r"cannot reach s3://bucket: .*store_options"):
        next(lines_in(FileRange("s3a://bucket/x", 0, 10)))


def test_hosts_of_azure_and_names_of_buckets(monkeypatch):
    opened = []
    systems = SimpleNamespace(from_uri=lambda uri: (None, opened.append(uri) or "/x/"))
    monkeypatch.setattr(stores, "fs", SimpleNamespace(FileSystem=systems))
    assert stores._opened.__wrapped__("abfss://c@a.blob.core.windows.net", ()) == (None, "/x")
    assert stores._opened.__wrapped__("gs://my.blob.store", ()) == (None, "/x")
    assert opened == ["abfss://c@a.dfs.core.windows.net/", "gs://my.blob.store/"]


def test_a_url_with_credentials_is_refused_without_showing_them():
    with pytest.raises(UnreadableInput, match="a URL of s3a:// has credentials") as refused:
        next(iter(read("s3a://mine:secret@bucket/x")))
    assert "secret" not in str(refused.value)


def test_a_number_sign_is_a_part_of_a_path():
    stores.set_settings({**KEYS, "fs.s3a.endpoint": "minio"})
    assert stores.file_system("s3a://bucket/a#b/c?d")[1] == "bucket/a#b/c?d"
    assert stores.file_system("s3a://bucket")[1] == "bucket"


def test_a_key_of_an_azure_account():
    host = "account.dfs.core.windows.net"
    settings = {"fs.azure.account.key": "b3RoZXI=", f"fs.azure.account.key.{host}": "a2V5"}
    url = f"abfss://container@{host}/a/b"
    assert stores.settings_for(url, settings.get) == {f"fs.azure.account.key.{host}": "a2V5"}
    stores.set_settings(settings)
    found, path = stores.file_system(url)
    assert path == "container/a/b"
    assert found.equals(fs.AzureFileSystem("account", account_key="a2V5"))
    found, _ = stores.file_system("abfss://container@account.dfs.core.usgovcloudapi.net/a")
    assert found.equals(
        fs.AzureFileSystem(
            "account",
            account_key="b3RoZXI=",
            blob_storage_authority=".blob.core.usgovcloudapi.net",
            dfs_storage_authority=".dfs.core.usgovcloudapi.net",
        )
    )


@pytest.mark.parametrize("name", ["my%20out", "h#1", "q?x"])
def test_a_folder_of_results_has_one_name_for_all_libraries(name):
    from pyibc.indexer.pipeline.places import results_url

    with pytest.raises(UnusableFolder, match="# or \\? in a URL"):
        results_url(f"s3a://bucket/{name}")
    assert results_url("s3a://bucket/my out") == "s3a://bucket/my out"
    assert results_url("dbfs:/a#b") == "dbfs:/a#b"
