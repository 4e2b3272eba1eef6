import type { Settings } from '../env.ts'
import { openApiTemplate } from './document.generated.ts'

const rendered = new WeakMap<Settings, string>()

/** The document of this deployment: the names of its profile and its own address filled in. */
export function renderOpenApi(settings: Settings): string {
  const known = rendered.get(settings)
  if (known) return known
  const values: Record<string, string> = {
    ...textMembers(settings.PROFILE),
    base_url: settings.BASE_URL.origin,
  }
  const text = openApiTemplate.replaceAll(/\{\{(\w+)\}\}/g, (whole, name: string) =>
    values[name] === undefined ? whole : JSON.stringify(values[name]).slice(1, -1),
  )
  rendered.set(settings, text)
  return text
}

const textMembers = (object: object): Record<string, string> =>
  Object.fromEntries(Object.entries(object).map(([name, value]) => [name, String(value)]))
