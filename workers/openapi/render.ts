import type { Settings } from '../env.ts'
import { etagOf } from '../http/etag.ts'
import { openApiTemplate } from './document.generated.ts'

interface Rendered {
  text: string
  etag: string
}

const rendered = new WeakMap<Settings, Promise<Rendered>>()

/** The document of this deployment: the names of its profile and its own address filled in. */
export function renderOpenApi(settings: Settings): Promise<Rendered> {
  const known = rendered.get(settings)
  if (known) return known
  const fresh = render(settings)
  rendered.set(settings, fresh)
  return fresh
}

async function render({ PROFILE, BASE_URL }: Settings): Promise<Rendered> {
  const values: Record<string, string> = { ...textMembers(PROFILE), base_url: BASE_URL.origin }
  const text = openApiTemplate.replaceAll(/\{\{(\w+)\}\}/g, (whole, name: string) =>
    values[name] === undefined ? whole : JSON.stringify(values[name]).slice(1, -1),
  )
  return { text, etag: await etagOf(new TextEncoder().encode(text)) }
}

const textMembers = (object: object): Record<string, string> =>
  Object.fromEntries(Object.entries(object).map(([name, value]) => [name, String(value)]))
