import { Marked, Renderer, type Tokens } from 'marked'
import { highlight } from './highlight.ts'
import { anchorOf, escapeHtml } from './page.ts'

export interface Rendered {
  readonly html: string
  /** Headings below the first, for the list beside the page. */
  readonly headings: readonly { readonly id: string; readonly text: string; readonly depth: number }[]
}

/** How large a picture is, so that a page keeps its place; by its address. */
export type PictureSize = (address: string) => { readonly width: number; readonly height: number } | undefined

/** Makes HTML of a page in Markdown. Nothing in it is inline script or style. */
export function render(markdown: string, sizeOf: PictureSize = () => undefined): Rendered {
  const headings: Rendered['headings'][number][] = []
  const seen = new Map<string, number>()
  const renderer = new Renderer()
  renderer.heading = function ({ tokens, text, depth }: Tokens.Heading) {
    const anchor = anchorOf(text)
    const count = seen.get(anchor) ?? 0
    seen.set(anchor, count + 1)
    const id = count === 0 ? anchor : `${anchor}-${count}`
    const inner = this.parser.parseInline(tokens)
    if (depth === 1) return `<h1>${inner}</h1>\n`
    headings.push({ id, text: inner.replaceAll(/<[^>]+>/g, ''), depth })
    return `<h${depth} id="${id}">${inner}<a class="anchor" href="#${id}" aria-hidden="true" tabindex="-1">#</a></h${depth}>\n`
  }
  renderer.code = ({ text, lang = '' }: Tokens.Code) =>
    `<div class="code"><pre tabindex="0"><code>${highlight(text, lang)}</code></pre></div>\n`
  renderer.table = function (token: Tokens.Table) {
    return `<div class="table" tabindex="0" role="group" aria-label="Table">${Renderer.prototype.table.call(this, token)}</div>\n`
  }
  renderer.image = ({ href, text }: Tokens.Image) => {
    const size = sizeOf(href)
    const place = size === undefined ? '' : ` width="${size.width}" height="${size.height}"`
    return `<img src="${escapeHtml(href)}" alt="${escapeHtml(text)}"${place} loading="lazy">`
  }
  renderer.html = ({ text }: Tokens.HTML | Tokens.Tag) => escapeHtml(text)
  return { html: new Marked({ renderer }).parse(markdown, { async: false }), headings }
}
