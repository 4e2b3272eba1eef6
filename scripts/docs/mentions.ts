/** Something that a page says exists. */
export interface Mention {
  readonly kind: 'link' | 'path' | 'name' | 'script'
  readonly text: string
}

const filePath = /^[\w@][\w@.-]*(?:\/[\w@.-]+)*\/?$/
const endings = /\.(?:ts|mjs|sol|md|json|toml|wat|sql|yml)$/
/** Written by the programs, or by the reader while following the page. */
const madeLater =
  /^(?:\.localnet|dist|node_modules|receipt\.json|hello\.hbc|copy\.hbc|entry\.ts|manifest\.json|asconfig\.json|module\.wasm|key\.json|config\.json)\b/

/** Finds the paths, names of code and npm scripts that a page in Markdown mentions. */
export function findMentions(markdown: string): Mention[] {
  const mentions: Mention[] = []
  const prose = markdown.replaceAll(/^(```+)[^\n]*\n[\s\S]*?^\1/gm, '')
  for (const [, target] of prose.matchAll(/\]\(([^)\s]+)\)/g))
    if (!/^[a-z]+:/.test(target!)) mentions.push({ kind: 'link', text: target! })
  for (const [, script] of markdown.matchAll(/\bnpm run (?:-s )?([\w:-]+)/g))
    mentions.push({ kind: 'script', text: script! })
  for (const [, code] of prose.matchAll(/`([^`\n]+)`/g)) mentions.push(...mentionsOf(code!))
  return mentions
}

function mentionsOf(code: string): Mention[] {
  if (madeLater.test(code)) return []
  if (filePath.test(code) && (endings.test(code) || /^[a-z][\w-]*\/.*/.test(code)))
    return [{ kind: 'path', text: code }]
  const name = /^([A-Za-z_$][\w$]*)(?:\(.*\))?$/.exec(code)?.[1]
  return name !== undefined && /[a-z][A-Z]/.test(name) ? [{ kind: 'name', text: name }] : []
}

/** Whether one of the files, all given from the root, is what a page means: its path, or the end of it, or a folder on it. */
export function isMentioned(files: readonly string[], mentioned: string): boolean {
  const wanted = `/${mentioned.replace(/\/$/, '')}`
  return files.some((file) => {
    const full = `/${file}`
    return full.endsWith(wanted) || full.endsWith(`${wanted}.ts`) || full.includes(`${wanted}/`)
  })
}

/** Whether a link, as a path from the root, leads to a file or a folder. */
export const isThere = (files: readonly string[], target: string): boolean =>
  files.some((file) => file === target || file.startsWith(`${target.replace(/\/$/, '')}/`))
