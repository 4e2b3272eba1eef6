import { navigation } from './navigation.ts'
import { addressOf, escapeHtml, home, type Page, referenceHome } from './page.ts'
import type { Rendered } from './render.ts'

/** Addresses of the files that every page loads. */
export interface Files {
  readonly style: string
  readonly script: string
  readonly index: string
}

interface Listed {
  readonly title: string
  readonly pages: readonly (readonly [title: string, address: string])[]
}

const guides: readonly Listed[] = navigation.map(({ title, pages }) => ({
  title,
  pages: pages.map(([name, file]) => [name, addressOf(file)]),
}))

/** The navigation of a page: guides and the parts of the reference; before them the calls of the part that the page is in. */
function groupsOf(page: Page, all: readonly Page[]): Listed[] {
  const tags = [...new Set(all.flatMap(({ tag }) => tag ?? []))]
  const calls = all.filter(({ tag }) => tag !== undefined && tag === page.tag)
  const reference: Listed = {
    title: 'Reference',
    pages: [
      ['All calls', referenceHome],
      ...tags.map((tag) => [tag, `${referenceHome}#${tag.toLowerCase()}`] as const),
    ],
  }
  const open: Listed = {
    title: page.tag ?? '',
    pages: calls.map(({ title, address }) => [title, address]),
  }
  return calls.length > 0 ? [open, reference, ...guides] : [...guides, reference]
}

export function htmlOf(page: Page, { html, headings }: Rendered, all: readonly Page[], files: Files): string {
  const groups = groupsOf(page, all)
  const links = (listed: Listed) =>
    listed.pages
      .map(([title, address]) => {
        const current = address === page.address ? ' aria-current="page"' : ''
        return `<li><a href="${address}"${current}>${escapeHtml(title)}</a></li>`
      })
      .join('')
  const nav = groups.map((group) => `<p>${escapeHtml(group.title)}</p><ul>${links(group)}</ul>`).join('')
  const below = headings.filter(({ depth }) => depth === 2)
  const contents =
    below.length < 2 || page.address === home
      ? ''
      : `<nav class="contents" aria-label="On this page"><p>On this page</p><ul>${below
          .map(({ id, text }) => `<li><a href="#${id}">${text}</a></li>`)
          .join('')}</ul></nav>`
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(page.title)} · {{service}}</title>
<meta name="description" content="${escapeHtml(summaryOf(html))}">
<link rel="icon" href="/_app/immutable/assets/icon.5b70ee.svg">
<link rel="alternate" type="text/markdown" href="${page.address}.md">
<link rel="stylesheet" href="${files.style}">
<script src="${files.script}" data-index="${files.index}" defer></script>
</head>
<body${page.address === home ? ' class="home"' : page.tag ? ' class="call"' : ''}>
<a class="skip" href="#content">Skip to the content</a>
<header><a class="brand" href="${home}">{{service}} <span>docs</span></a>
<div class="search" role="search" hidden><input type="search" aria-label="Search" placeholder="Search" autocomplete="off" spellcheck="false" role="combobox" aria-expanded="false" aria-controls="found"><ul id="found" role="listbox" aria-label="Found" hidden></ul></div>
<a class="to-menu" href="#menu">Menu</a><a class="out" href="/">Console</a></header>
<div class="frame">
<main id="content" tabindex="-1">${html}</main>
${contents}
<nav id="menu" class="menu" aria-label="Pages">${nav}</nav>
</div>
</body>
</html>
`
}

/** The first paragraph, for search engines and previews. */
const summaryOf = (html: string): string =>
  (/<p>([\s\S]*?)<\/p>/.exec(html)?.[1] ?? '')
    .replaceAll(/<[^>]+>/g, '')
    .replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)))
    .replaceAll(/\s+/g, ' ')
    .slice(0, 160)
