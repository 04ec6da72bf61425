import { describeSignature } from "../shared/signature-cases.ts";

describeSignature("Node");
