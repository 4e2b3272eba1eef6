import { WranglerError } from '../wrangler-error.ts'
import type { WranglerAnswer, WranglerCall } from './wrangler-host.ts'

/** Runs the wrangler that answers at an address. @returns What it prints. @throws {@link WranglerError} when it fails. */
export async function callWrangler(
  url: string,
  args: readonly string[],
  cwd = process.cwd(),
): Promise<string> {
  const call: WranglerCall = { args, cwd }
  const response = await fetch(url, { method: 'POST', body: JSON.stringify(call) })
  const { status, stdout, stderr } = (await response.json()) as WranglerAnswer
  if (status !== 0) throw new WranglerError(args, `${stdout}${stderr}`)
  return stdout
}
