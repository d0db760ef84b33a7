# Snakemake runs this in a new environment. One made from a pin file (torch.linux-64.pin.txt), which
# lists conda's packages alone, gets those of pip here; one made from the yaml has them already.
sed -n 's/^ *- \([^ ]*==[^ ]*\)$/\1/p' envs/torch.yaml | xargs python -m pip install --quiet
