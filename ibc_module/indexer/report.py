from ibc_module.indexer.answers import Answers


def write_report(summary, answers: Answers, notes) -> str:
    return repr(answers)
