/**
 * What node is started with for the gpu-worker, here and in the script of package.json. On its main thread hardly
 * an object outlives its request. With half-spaces of up to 64 MiB for the young and, before the old are looked
 * through, room for four times what lives, V8 keeps 130 MiB more of them, and answers no faster (measured by the
 * soak). It leaves less room the lower the bound of the old is; what lives there are 16 MiB, and the queue's texts.
 */
export const workerNodeFlags: readonly string[] = ["--max-semi-space-size=16", "--max-old-space-size=2000"];
