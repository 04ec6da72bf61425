import { describeSignature } from "./signature-cases.ts";

describeSignature("workerd");
