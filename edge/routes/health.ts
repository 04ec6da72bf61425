/** GET /health: what is loaded and connected, without authentication. Never fails; it reports. */
import { providerKinds } from "../../shared/providers.ts";
import { createHandlers } from "../middleware/context.ts";

/** The service's version, as package.json has it. */
export const version = "1.0.0";

export const health = createHandlers(async (context) => {
  const { services } = context.var;
  const workers = await services.gpuWorkers.health();
  return context.json({
    status: "healthy",
    svc_models_loaded: workers.sizes,
    llm_providers: [...providerKinds],
    vault: services.vault === undefined ? "disabled" : "connected",
    brain: workers.brain,
    version,
    git_sha: services.config.gitSha,
  });
});
