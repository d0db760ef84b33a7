"""What pyproject.toml cannot say: the config files are installed inside the package."""

from setuptools import find_packages, setup

setup(
    packages=[
        *find_packages(include=["mirror_bert*", "workflow_scripts*"]),
        "workflow_scripts.config",
    ],
    package_dir={"workflow_scripts.config": "config"},
    package_data={
        "workflow_scripts.config": ["**/*.yaml"],
        "workflow_scripts.tables": ["templates/*"],
    },
)
