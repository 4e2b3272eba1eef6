import type { Env, Settings } from '../env.ts'
import { unavailable } from '../errors.ts'
import { example } from '../examples.ts'
import { etagOf } from '../http/etag.ts'

interface Rendered {
  text: string
  etag: string
}

/** Values, not promises: a request cannot wait for what another one has begun. */
const rendered = new WeakMap<Settings, Rendered>()

/**
 * The document of this deployment: the asset `openapi.json` with the names of its profile and its own address filled in. @throws {@link
 * ApiError} 503 `unavailable` when the asset cannot be read.
 */
export async function renderOpenApi(assets: Env['ASSETS'], settings: Settings): Promise<Rendered> {
  const known = rendered.get(settings)
  if (known) return known
  const text = fillIn(await readTemplate(assets), settings)
  const fresh = { text, etag: await etagOf(new TextEncoder().encode(text)) }
  rendered.set(settings, fresh)
  return fresh
}

async function readTemplate(assets: Env['ASSETS']): Promise<string> {
  try {
    const response = await assets.fetch('http://assets/openapi.json')
    if (response.ok) return await response.text()
    throw new Error(`the asset openapi.json is answered with ${response.status}`)
  } catch (error) {
    throw unavailable('The OpenAPI document', error)
  }
}

/** Puts the names of a deployment in the place of the placeholders. @param written How a name is written in this format. */
export function fillIn(
  template: string,
  { PROFILE, BASE_URL }: Settings,
  written: (name: string) => string = inJson,
): string {
  const values = textMembers(PROFILE)
  return template
    .replaceAll(/\{\{(\w+)\}\}/g, (whole, name: string) =>
      values[name] === undefined ? whole : written(values[name]),
    )
    .replaceAll(example.hub, BASE_URL.origin)
}

const inJson = (name: string): string => JSON.stringify(name).slice(1, -1)

const textMembers = (object: object): Record<string, string> =>
  Object.fromEntries(Object.entries(object).map(([name, value]) => [name, String(value)]))
