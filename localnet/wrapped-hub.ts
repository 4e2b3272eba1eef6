import { readFileSync } from 'node:fs'
import path from 'node:path'
import { bundleInto, type HubBundle } from '../scripts/bundle.ts'
import { keptBuild } from '../scripts/kept-build.ts'
import { readWranglerHub } from '../scripts/wrangler-hub.ts'

/** Code that runs in workerd around the hub; its file has `wrap(hub, settings)`, which returns what the hub exports. */
export interface Wrapper {
  readonly file: string
  /** Files and folders that it is made of. */
  readonly sources: readonly string[]
}

/** Puts a wrapper in front of the hub. @param settings Besides, it is told the binding of each class of objects. */
export async function wrapHub(
  script: HubBundle,
  { file, sources }: Wrapper,
  settings: object = {},
): Promise<HubBundle> {
  const name = path.basename(file, '.ts')
  const folder = await keptBuild({
    name: `wrapper-${name}`,
    sources: [...sources, 'scripts/bundle.ts'],
    buildInto: (unfinished) => bundleInto(unfinished, [file]),
  })
  const objects = (await readWranglerHub()).workerOptions.durableObjects as Record<
    string,
    { className: string }
  >
  const bindings = Object.fromEntries(
    Object.entries(objects).map(([binding, { className }]) => [className, binding]),
  )
  const contents = `
import * as hub from './${script[0]?.path}'
import { wrap } from './${name}.js'
const wrapped = wrap(hub, ${JSON.stringify({ ...settings, bindings })})
export const { ${Object.keys(bindings).join(', ')} } = wrapped
export default wrapped.default`
  const wrapper = readFileSync(path.join(folder, `${name}.js`), 'utf8')
  return [
    { type: 'ESModule', path: `wrapped-${name}.js`, contents },
    { type: 'ESModule', path: `${name}.js`, contents: wrapper },
    ...script,
  ]
}
