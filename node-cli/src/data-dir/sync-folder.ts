import { open } from 'node:fs/promises'

/** A new name survives a power cut only once its folder was written too. */
export async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return
  const handle = await open(folder)
  await handle.sync().finally(() => handle.close())
}
