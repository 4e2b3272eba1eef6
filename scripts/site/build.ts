import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { transformSync } from 'esbuild'
import { imageDimensionsFromData } from 'image-dimensions'
import { filesOf } from '../files-of.ts'
import { keptBuild } from '../kept-build.ts'
import type { OpenApi } from './document.ts'
import { type Files, htmlOf } from './layout.ts'
import { clientName, withNames } from './names.ts'
import { navigation } from './navigation.ts'
import { addressOf, anchorOf, filesAddress, type Page } from './page.ts'
import { referencePages } from './reference.ts'
import { type PictureSize, render } from './render.ts'
import { hashedName, readRepositoryPages } from './repository-pages.ts'

const root = path.resolve(import.meta.dirname, '../..')

/** All files of the site, by their paths below the folder that the Worker serves. */
export function siteFiles(): Map<string, string | Uint8Array> {
  const files = new Map<string, string | Uint8Array>()
  /** Adds a file that may be kept for good. @returns Its address. */
  const keep = (name: string, content: string | Uint8Array): string => {
    const address = `${filesAddress}/${hashedName(name, content)}`
    files.set(address.slice(1), content)
    return address
  }
  const { pages: fromFiles, pictures } = readRepositoryPages()
  const sizes = new Map<string, ReturnType<PictureSize>>()
  for (const [name, bytes] of pictures) {
    files.set(`${filesAddress}/${name}`.slice(1), bytes)
    sizes.set(`${filesAddress}/${name}`, imageDimensionsFromData(bytes))
  }
  const document = JSON.parse(readFileSync(path.join(root, 'public/openapi.json'), 'utf8')) as OpenApi
  const pages = [...fromFiles, ...referencePages(document, clientName)]
  const asset = (name: string, loader: 'css' | 'js', ...parts: string[]) => {
    const text = parts.map((part) => readFileSync(path.join(import.meta.dirname, 'assets', part), 'utf8'))
    return keep(name, transformSync(text.join('\n'), { loader, minify: true }).code)
  }
  const addresses: Files = {
    style: asset('site.css', 'css', 'base.css', 'frame.css', 'content.css', 'screens.css'),
    script: asset('site.js', 'js', 'site.js'),
    index: keep('search.json', withNames(JSON.stringify(pages.flatMap(searchParts)))),
  }
  for (const page of pages) {
    const name = page.address.slice(1)
    if (files.has(`${name}.md`)) throw new Error(`Two pages have the address ${page.address}.`)
    files.set(`${name}.md`, page.markdown)
    files.set(
      `${name}.html`,
      htmlOf(
        page,
        render(page.markdown, (address) => sizes.get(address)),
        pages,
        addresses,
      ),
    )
  }
  files.set('llms.txt', overviewFor(pages))
  files.set(
    'llms-full.txt',
    pages
      .filter(isForModels)
      .map(({ markdown }) => markdown)
      .join('\n\n---\n\n'),
  )
  return files
}

const guides = new Set(navigation.flatMap(({ pages }) => pages.map(([, file]) => addressOf(file))))

/** A page, divided at its headings: address, title, heading, text, and how much a guide or a call counts above others. */
function searchParts({ address, title, markdown, tag }: Page): [string, string, string, string, number][] {
  const parts = markdown.replaceAll(/^```[\s\S]*?^```/gm, '').split(/^(?=##+ )/m)
  return parts.map((part) => {
    const heading = /^##+ (.+)\n/.exec(part)?.[1] ?? ''
    const text = part
      .replace(/^#+ .+\n/, '')
      .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
      .replaceAll(/[|`*]|-{3,}/g, ' ')
      .replaceAll(/\s+/g, ' ')
      .trim()
    return [
      `${address}${heading === '' ? '' : `#${anchorOf(heading)}`}`,
      title,
      heading.replaceAll('`', ''),
      text.slice(0, tag === undefined ? 1_500 : 300),
      guides.has(address) ? 4 : tag === undefined ? 0 : 2,
    ]
  })
}

const isForModels = ({ address }: Page): boolean =>
  !/\/(decisions|causes|recovery)\/|\/(bench|chaos)\b/.test(address)

/** Pages with their addresses, as llmstxt.org has it. */
function overviewFor(pages: readonly Page[]): string {
  const line = (title: string, address: string) => `- [${title}](https://hub.invalid${address}.md)`
  const groups = navigation.map(
    ({ title, pages: listed }) =>
      `## ${title}\n\n${listed.map(([name, file]) => line(name, addressOf(file))).join('\n')}`,
  )
  const calls = pages.filter(({ tag }) => tag !== undefined)
  return `# {{service}}

> A test network where developers pay device owners to run WebAssembly functions. A result counts when several devices agree on it and validators have confirmed it. This hub is its JSON API.

Every page is Markdown at its address with \`.md\`, or with \`Accept: text/markdown\`. [All guides and calls in one file](https://hub.invalid/llms-full.txt). [The OpenAPI document](https://hub.invalid/v1/openapi.json).

${groups.join('\n\n')}

## Calls

${calls.map(({ title, address }) => line(title, address)).join('\n')}
`
}

/** All Markdown of the repository, since pages are found by their links; and what else the site is made of. */
const sources = (): string[] => [
  ...markdownIn(''),
  'docs/pictures',
  'examples',
  'scripts/site',
  'protocol/errors.ts',
  'protocol/identity',
  'public/openapi.json',
  'package-lock.json',
]

const markdownIn = (folder: string): string[] =>
  readdirSync(path.join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const name = path.posix.join(folder, entry.name)
    if (entry.isDirectory())
      return /^\.|^(node_modules|public|dist)$/.test(entry.name) ? [] : markdownIn(name)
    return name.endsWith('.md') ? [name] : []
  })

/** Puts the site into the folder that the Worker serves, instead of the one that was there. */
export async function placeSite(target: string): Promise<void> {
  const built = await keptBuild({ name: 'site', sources: sources(), buildInto })
  const mark = path.join(target, 'docs/.version')
  const version = path.basename(built)
  if (existsSync(mark) && readFileSync(mark, 'utf8') === version) return
  cpSync(built, target, { recursive: true })
  // Another network that starts at the same time may place the same files, or remove the same ones.
  for (const file of ['docs', filesAddress].flatMap((folder) => filesOf(target, folder)))
    if (!existsSync(path.join(built, file)) && path.join(target, file) !== mark)
      rmSync(path.join(target, file), { force: true })
  writeFileSync(mark, version)
}

async function buildInto(folder: string): Promise<void> {
  for (const [name, content] of siteFiles()) {
    const file = path.join(folder, name)
    mkdirSync(path.dirname(file), { recursive: true })
    writeFileSync(file, content)
  }
}
