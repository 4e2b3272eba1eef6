import { readdirSync, readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { siteFiles } from './build.ts'
import { callsOf, type OpenApi } from './document.ts'
import { anchorOf, mapLinks } from './page.ts'
import { operationAddress } from './reference.ts'
import { render } from './render.ts'

const kB = 1_000
const files = siteFiles()
const document = JSON.parse(readFileSync('public/openapi.json', 'utf8')) as OpenApi
const pages = new Map(
  [...files].flatMap(([name, content]) =>
    name.endsWith('.html') ? [[`/${name}`.replace(/\.html$/, ''), String(content)] as const] : [],
  ),
)

describe('the site as it is built', () => {
  test('every link leads to a page, a heading on it, or a file', () => {
    const ids = new Map(
      [...pages].map(([address, html]) => [
        address,
        new Set([...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id)),
      ]),
    )
    const elsewhere = new Set(['/', '/v1/openapi.json', '/_app/immutable/assets/icon.5b70ee.svg'])
    const broken = [...pages].flatMap(([address, html]) =>
      [...html.matchAll(/ (?:href|src|data-index)="([^"]*)"/g)].flatMap(([, target]) => {
        if (/^https?:/.test(target!) || elsewhere.has(target!)) return []
        const [path = '', anchor] = target!.split('#')
        const page = path === '' ? address : path
        const isThere =
          files.has(page.slice(1)) ||
          (pages.has(page) && (anchor === undefined || ids.get(page)!.has(anchor)))
        return isThere ? [] : [`${address}: ${target}`]
      }),
    )
    expect(broken).toEqual([])
  })

  test('every call, error code and cause has its page, and each page has its Markdown and a title', () => {
    const expected = [
      ...callsOf(document).map(({ operationId }) => operationAddress(operationId)),
      ...['errors', 'causes'].flatMap((folder) =>
        readdirSync(`docs/${folder}`).map(
          (name) => `/docs/${folder}/${name.replace(/(\/?README)?\.md$/, '')}`,
        ),
      ),
    ].map((address) => address.replace(/\/$/, ''))
    expect(expected.length).toBeGreaterThan(250)
    expect(expected.filter((address) => !pages.has(address))).toEqual([])
    for (const [address, html] of pages) {
      expect(files.has(`${address.slice(1)}.md`), address).toBe(true)
      expect(html.match(/<h1>/g), address).toHaveLength(1)
    }
  })

  test('a page has no inline script or style, loads nothing from other hosts, and states picture widths', () => {
    for (const [address, html] of pages)
      expect(html, address).not.toMatch(
        /<script(?![^>]* src=)|<style|<[^>]+\s(?:style|on\w+)="|(?:src|<link[^>]* href)="https?:|<img(?![^>]* width=)/,
      )
  })

  test('a page loads at most 8 kB of script and style, and the search 250 kB', () => {
    const size = (pattern: RegExp) =>
      [...files]
        .filter(([name]) => pattern.test(name))
        .reduce((sum, [, content]) => sum + gzipSync(content, { level: 9 }).length, 0)
    expect(size(/docs\/site\.\w+\.(js|css)$/)).toBeLessThanOrEqual(8 * kB)
    expect(size(/docs\/search\.\w+\.json$/)).toBeLessThanOrEqual(250 * kB)
    expect(files.get('llms-full.txt')!.length).toBeLessThanOrEqual(2_000 * kB)
  })

  test('llms.txt names more than 200 pages, and all of them exist', () => {
    const listed = [...String(files.get('llms.txt')).matchAll(/\(https:\/\/hub\.invalid(\/docs[^)]*)\)/g)]
    expect(listed.length).toBeGreaterThan(200)
    expect(listed.filter(([, address]) => !files.has(address!.slice(1)))).toEqual([])
  })
})

describe('a page', () => {
  test('links to files outside the site become plain text, and code does not change', () => {
    const markdown = '[a](x.ts) [`b`](y.md#z) ![c](d.png)\n\n```md\n[a](x.ts)\n```\n'
    const mapped = mapLinks(markdown, (target, isPicture) =>
      isPicture ? '/p.png' : target.endsWith('.ts') ? null : `/docs/${target}`,
    )
    expect(mapped).toBe('a [`b`](/docs/y.md#z) ![c](/p.png)\n\n```md\n[a](x.ts)\n```\n')
  })

  test('HTML in Markdown becomes text, and equal headings have different anchors', () => {
    const { html, headings } = render('# T\n\n<script>x</script> a <b>\n\n## One `x`\n\n## One `x`\n')
    expect(html).not.toMatch(/<script|<b>/)
    expect(headings.map(({ id }) => id)).toEqual([anchorOf('One `x`'), 'one-x-1'])
  })

  test('programs are highlighted, and keep their whole text', () => {
    const code = `const a = "<b>" // it's\nawait f('c', 1)`
    const { html } = render(`\`\`\`ts\n${code}\n\`\`\``)
    expect(html).toContain(
      '<span class="k">const</span> a = <span class="s">&#34;&#60;b&#62;&#34;</span> <span class="c">// it&#39;s</span>',
    )
    expect(
      html
        .replaceAll(/<[^>]+>/g, '')
        .replaceAll(/&#(\d+);/g, (_, n) => String.fromCharCode(n))
        .trim(),
    ).toBe(code)
  })
})
