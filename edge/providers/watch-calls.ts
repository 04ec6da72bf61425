/** Provider calls as stages of their request: begun with their page in the books, ended by what is told to it. */
import type { RequestWatch } from "../telemetry/request-watch.ts";
import type { CallContext } from "./call.ts";

type OpenPage = CallContext["openPage"];

/** Pages that also keep the watch. One that nobody ends is ended by the request's settlement. */
export function watchCalls(watch: RequestWatch, open: OpenPage): OpenPage {
  return (request, maxOutputTokens) => {
    const page = open(request, maxOutputTokens);
    const stage = watch.begin("provider");
    return {
      observe(events) {
        stage.first();
        page.observe(events);
      },
      ended() {
        stage.end();
        page.ended();
      },
      dropped(why) {
        stage.end(why);
        page.dropped(why);
      },
    };
  };
}
