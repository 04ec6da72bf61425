import { hashBody } from "../../gpu-worker/body-reader.ts";
import { describeSignature } from "../shared/signature-cases.ts";

describeSignature("Node, as the gpu-worker hashes", hashBody);
