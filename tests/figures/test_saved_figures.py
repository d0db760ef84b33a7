"""Equal figures give equal bytes, whatever the last digits of the layout."""

from matplotlib.layout_engine import ConstrainedLayoutEngine

from workflow_scripts.figures.style import USUAL, figure_style, new_figure, save_figure


class Jittering(ConstrainedLayoutEngine):
    """A layout whose positions differ in their last digits, as the solver's do from run to run."""

    def __init__(self, jitter):
        super().__init__()
        self.jitter = jitter

    def execute(self, fig):
        super().execute(fig)
        for axes in fig.axes:
            bounds = axes.get_position(original=True).bounds
            axes._set_position([bound + self.jitter for bound in bounds])


def bytes_of(folder, jitter):
    with figure_style():
        figure = new_figure(USUAL, 2.0)
        figure.set_layout_engine(Jittering(jitter))
        for axes in figure.subplots(2, 1):
            axes.plot([0, 1], [0.3, 0.7])
            axes.set_ylabel("score")
        save_figure(figure, folder / "figure")
    return [(folder / f"figure.{ending}").read_bytes() for ending in ("png", "svg", "pdf")]


def test_the_last_digits_of_a_layout_do_not_show(tmp_path):
    assert bytes_of(tmp_path, 0.0) == bytes_of(tmp_path, 3e-15)
