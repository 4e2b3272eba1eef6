import { createHash } from 'node:crypto'
import { existsSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { navigation } from './navigation.ts'
import { addressOf, filesAddress, mapLinks, type Page, referenceHome } from './page.ts'

const root = path.resolve(import.meta.dirname, '../..')

export interface RepositoryPages {
  readonly pages: readonly Page[]
  /** Pictures, by their names on the site. */
  readonly pictures: ReadonlyMap<string, Uint8Array>
}

/** The pages of the navigation, and all that they link to. */
export function readRepositoryPages(): RepositoryPages {
  const titles = new Map(navigation.flatMap(({ pages }) => pages.map(([title, file]) => [file, title])))
  const wanted = new Set(['docs/README.md', ...titles.keys()])
  const pictures = new Map<string, Uint8Array>()
  const pages: Page[] = []
  for (const file of wanted) {
    const text = readFileSync(path.join(root, file), 'utf8')
    const source = isProgram.test(file) ? asPage(file, text) : text
    const markdown = mapLinks(source, (target, isPicture) => {
      if (/^[a-z]+:|^\//.test(target)) return target
      const [name = '', anchor] = target.split('#')
      const linked = name === '' ? file : path.posix.join(path.posix.dirname(file), name)
      if (isPicture) return addPicture(pictures, linked)
      if (linked === 'public/openapi.json') return referenceHome
      const page = pageOf(linked)
      if (page === null) return null
      wanted.add(page === 'README.md' ? 'docs/README.md' : page)
      return addressOf(page) + (anchor === undefined ? '' : `#${anchor}`)
    })
    const heading = /^# (.+)$/m.exec(markdown)?.[1] ?? file
    pages.push({ address: addressOf(file), title: titles.get(file) ?? heading, markdown })
  }
  return { pages, pictures }
}

const isProgram = /^examples\/.+\.(ts|py|json)$/

/** The file that is shown where a link leads; null if the site has none. */
function pageOf(linked: string): string | null {
  if (isProgram.test(linked)) return linked
  const isFolder = existsSync(path.join(root, linked)) && statSync(path.join(root, linked)).isDirectory()
  const file = isFolder ? path.posix.join(linked, 'README.md') : linked
  if (!file.endsWith('.md') || file === 'AGENTS.md' || !existsSync(path.join(root, file))) return null
  return file
}

const asPage = (file: string, text: string): string =>
  `# ${path.posix.basename(file)}\n\n\`\`\`${path.extname(file).slice(1)}\n${text.trimEnd()}\n\`\`\`\n`

function addPicture(pictures: Map<string, Uint8Array>, file: string): string {
  const bytes = readFileSync(path.join(root, file))
  const name = hashedName(path.basename(file), bytes)
  pictures.set(name, bytes)
  return `${filesAddress}/${name}`
}

/** A name that changes with its content. */
export function hashedName(name: string, content: string | Uint8Array): string {
  const { name: base, ext } = path.parse(name)
  return `${base}.${createHash('sha256').update(content).digest('hex').slice(0, 8)}${ext}`
}
