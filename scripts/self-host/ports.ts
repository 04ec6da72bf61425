/** Loopback ports, settled before anything starts, so that children may know each other from the first line. */
import { type AddressInfo, createServer } from "node:net";
import { StartError } from "./settings.ts";

/**
 * @param wanted 0 for any free one
 * @throws StartError naming the variable when the port is taken
 */
export async function settlePort(variable: string, wanted: number): Promise<number> {
  const probe = createServer();
  await new Promise<void>((listening, failed) => {
    probe.once("error", (error) => failed(portError(variable, wanted, error)));
    probe.listen(wanted, "127.0.0.1", listening);
  });
  const { port } = probe.address() as AddressInfo;
  await new Promise((closed) => probe.close(closed));
  return port;
}

export function portError(variable: string, port: number, error: NodeJS.ErrnoException): StartError {
  return error.code === "EADDRINUSE"
    ? new StartError(
        `${variable}: port ${port} is already in use; set ${variable} to another port, or to 0 for any free one.`,
      )
    : new StartError(
        `${variable}: port ${port} cannot be opened (${error.code}); set ${variable} to another port.`,
      );
}
