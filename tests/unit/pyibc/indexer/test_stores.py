"""Settings of Hadoop's connectors for stores, used by PyArrow's file systems."""

import pytest

pytest.importorskip("pyarrow")

from pyarrow import fs

from pyibc.indexer import read, stores
from pyibc.indexer.errors import StorageUnreachable, UnreadableInput
from tests.exported_chains import Chains
from tests.s3_server import BUCKET, s3_server

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


def test_settings_are_replaced_or_added(served):
    settings, _ = served
    endpoint = settings.pop("fs.s3a.endpoint")
    stores.set_settings(settings)
    stores.add_settings({"fs.s3a.endpoint": endpoint})
    assert len(types(f"s3a://{BUCKET}/of%20two")) == 8
    stores.set_settings({"fs.s3a.endpoint": endpoint, "fs.s3a.access.key": "mine"})
    with pytest.raises(UnreadableInput, match=f"s3://{BUCKET} cannot be opened: .*secret_key"):
        types(f"s3a://{BUCKET}/of%20two")


@pytest.mark.parametrize(
    ("settings", "arguments"),
    [
        ({"endpoint": "minio:9000"}, {"endpoint_override": "minio:9000"}),
        ({"endpoint": "https://minio/"}, {"endpoint_override": "minio"}),
        (
            {"endpoint": "minio", "connection.ssl.enabled": "false"},
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


def test_nobody_signs_for_a_public_bucket():
    provider = "org.apache.hadoop.fs.s3a.AnonymousAWSCredentialsProvider"
    settings = {"fs.s3a.aws.credentials.provider": provider, "fs.s3a.endpoint": "minio"}
    stores.set_settings(settings)
    found, _ = stores.file_system("s3a://bucket/x")
    assert found.equals(fs.S3FileSystem(anonymous=True, endpoint_override="minio"))


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
    assert stores.settings_for("s3a://bucket/x", KEYS.get) == KEYS


def test_a_key_of_an_azure_account():
    host = "account.dfs.core.windows.net"
    settings = {"fs.azure.account.key": "b3RoZXI=", f"fs.azure.account.key.{host}": "a2V5"}
    url = f"abfss://container@{host}/a/b"
    assert stores.settings_for(url, settings.get) == settings
    stores.set_settings(settings)
    found, path = stores.file_system(url)
    assert path == "container/a/b"
    assert found.equals(fs.AzureFileSystem("account", account_key="a2V5"))
