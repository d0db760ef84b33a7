from workflow_scripts.downloads.list_gated import main


def test_what_is_to_be_put_by_hand_is_said_with_the_way_to_get_it(registry_file, tmp_path, capsys):
    registry = registry_file(
        one={"files": [{"path": "a/x"}, {"path": "a/y"}], "gated": True, "obtain": "ask a"},
        two={"files": [{"path": "b/x"}], "gated": True, "obtain": "ask b"},
        three={"files": [{"path": "c/x"}], "gated": True, "obtain": "ask c"},
    )
    root = tmp_path / "root"
    options = ["--registry", str(registry), "--root", str(root), "--names"]
    for path in ("a/x", "b/x"):
        (root / path).parent.mkdir(parents=True)
        (root / path).touch()
    main([*options, "one", "two"])
    header, *lines = capsys.readouterr().out.splitlines()
    assert "by hand" in header
    assert lines == [f"- one: ask a. Missing: {root}/a/y"]
    main([*options, "two"])
    assert capsys.readouterr().out == "Fetched: nothing has to be added by hand.\n"
    main(options)
    assert "nothing has to be added" in capsys.readouterr().out
