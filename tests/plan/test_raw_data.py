"""Raw files that a download brings."""

from workflow_scripts.plan.raw_data import RawData


def test_without_fetching_files_stand_for_themselves(tmp_path):
    there, absent = tmp_path / "sick" / "there.txt", tmp_path / "sick" / "absent.txt"
    there.parent.mkdir()
    there.touch()
    raw = RawData(tmp_path, fetch=False)
    assert raw.missing([there, absent]) == [absent]
    assert raw.inputs([there, absent]) == sorted([str(there), str(absent)])
    assert raw.downloads_of([there]) == []


def test_with_fetching_files_of_the_registry_are_their_download_there_or_not(tmp_path):
    known = tmp_path / "sick/semeval2014/SICK_test_annotated.txt"
    own, gated = tmp_path / "mine.txt", tmp_path / "umls/MRCONSO.RRF"
    raw = RawData(tmp_path, fetch=True)
    assert raw.missing([known, own, gated]) == [own, gated]
    record = "results/downloads/sick.json"
    assert raw.inputs([known, own]) == sorted([record, str(own)])
    known.parent.mkdir(parents=True)
    known.touch()
    # the same inputs before and after the download, so that it reruns nothing
    assert raw.inputs([known, own]) == sorted([record, str(own)])
