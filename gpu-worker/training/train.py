"""One command from the data folder to a checkpoint's learned files.

python3 -m training.train --data DIR --package DIR --work DIR --out DIR [--size base] [--steps-share 1] [--seed 7]

--data     holds train/ and dev/ (see the README)        --package  the unpacked encoder package
--work     where progress is kept: run again to resume    --out      receives the ONNX files and metrics.json
"""
import json

from .encoder_stage import encoder_stage
from .export_heads import export_heads
from .export_plans import export_decoder, export_reader, export_wish_readers
from .heads_stage import heads_stage, tools_stage
from .measure_stage import measure_stage
from .plans_stage import plans_stage, sessions_stage, wishes_stage
from .run import Run, parser_of
from .texts import GOAL_TOKENS, STATE_TOKENS, TOOL_TOKENS
from .work_folder import claim


def main():
    parser = parser_of(__doc__)
    parser.add_argument("--steps-share", type=float, default=1.0, help="share of each training's steps, for a short run")
    options = parser.parse_args()
    run = Run(options)
    claim(options.work, options)
    embeddings = encoder_stage(run)
    heads, action_map, episodes = heads_stage(run, embeddings)
    mixer = tools_stage(run, heads, embeddings)
    decoder = plans_stage(run, embeddings, action_map)
    wish_readers = wishes_stage(run, embeddings, action_map)
    reader = sessions_stage(run, embeddings, action_map, mixer)
    measure_stage(run, heads, embeddings, action_map, episodes)
    run.stage("export")
    export_heads(heads, mixer, options.out)
    export_decoder(decoder, options.out)
    export_wish_readers(wish_readers, options.out)
    export_reader(reader, options.out)
    calibration = run.figures["calibration"]
    settings = {
        "latentWidth": 2 * heads.width, "historyWidth": heads.history, "contextWidth": heads.context_width,
        "value": {"scale": calibration["value_scale"], "shift": calibration["value_shift"]},
        "goalTokens": GOAL_TOKENS, "stateTokens": STATE_TOKENS, "toolTokens": TOOL_TOKENS,
    }  # fmt: skip
    (options.out / "heads.json").write_text(json.dumps(settings, indent=1) + "\n")
    (options.out / "metrics.json").write_text(json.dumps(run.figures, indent=1))
    run.stage("done")


if __name__ == "__main__":
    main()
