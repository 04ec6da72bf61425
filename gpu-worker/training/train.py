"""One command from the data folder to a checkpoint's learned files.

python3 -m training.train --data DIR --package DIR --work DIR --out DIR [--size base] [--steps-share 1] [--seed 7]

--data     holds train/ and dev/ (see the README)        --package  the unpacked encoder package
--work     where progress is kept: run again to resume    --out      receives the ONNX files and metrics.json
"""
import json

from .heads.export_heads import export_heads
from .machine.side_by_side import beside
from .machine.work_folder import claim
from .plans.export_plans import export_decoder
from .sessions.export_reader import export_reader
from .stages.encoder import encoder_stage, finished_embeddings
from .stages.heads import action_map_of, heads_stage
from .stages.measure import measure_stage
from .stages.plans import plans_stage
from .stages.run import Run, parser_of
from .stages.sessions import sessions_stage
from .stages.tools import tools_stage
from .stages.wishes import wishes_stage
from .texts.templates import GOAL_TOKENS, STATE_TOKENS, TOOL_TOKENS
from .tools.export_mixer import export_mixer
from .wishes.export_wishes import export_wish_readers


def plans_and_wishes(options, started):
    """What needs the encoder alone, from its vectors to its files in OUT."""
    run = Run(options, started)
    embeddings = finished_embeddings(run, "plans")
    action_map = action_map_of(run, embeddings)
    export_decoder(plans_stage(run, embeddings, action_map), options.out)
    export_wish_readers(wishes_stage(run, embeddings, action_map), options.out)


def heads_and_sessions(run):
    """The rest: the reader of sessions sees how the heads' mixer scores tools."""
    options = run.options
    embeddings = finished_embeddings(run, "heads")
    action_map = action_map_of(run, embeddings)
    heads, episodes = heads_stage(run, embeddings, action_map)
    mixer = tools_stage(run, heads, embeddings)
    export_reader(sessions_stage(run, embeddings, action_map, mixer), options.out)
    measure_stage(run, heads, embeddings, action_map, episodes)
    export_heads(heads, options.out)
    export_mixer(mixer, options.out)
    calibration = run.figures["calibration"]
    settings = {
        "latentWidth": 2 * heads.width, "historyWidth": heads.history, "contextWidth": heads.context_width,
        "value": {"scale": calibration["value_scale"], "shift": calibration["value_shift"]},
        "goalTokens": GOAL_TOKENS, "stateTokens": STATE_TOKENS, "toolTokens": TOOL_TOKENS,
    }  # fmt: skip
    (options.out / "heads.json").write_text(json.dumps(settings, indent=1) + "\n")


def main():
    parser = parser_of(__doc__)
    parser.add_argument("--steps-share", type=float, default=1.0, help="share of each training's steps, for a short run")
    options = parser.parse_args()
    run = Run(options)
    claim(options.work, options)
    encoder_stage(run)
    with beside(plans_and_wishes, options, run.started):
        heads_and_sessions(run)
    (options.out / "metrics.json").write_text(json.dumps(run.figures, indent=1))
    run.stage("done")


if __name__ == "__main__":
    main()
