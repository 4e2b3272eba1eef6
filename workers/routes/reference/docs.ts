import * as z from 'zod'
import type { HubContext } from '../../context.ts'
import { ApiError, unavailable } from '../../errors.ts'
import type { Answer } from '../../http/answer.ts'
import { pageHeaders } from '../../http/page-headers.ts'
import { wantsPage } from '../../http/wants-page.ts'
import { fillIn } from '../../openapi/render.ts'
import { defineRoute } from '../../route.ts'

const markdownType = 'text/markdown; charset=utf-8'

/** Both forms of a page. */
const responses = {
  200: { description: 'The page, as HTML or as Markdown.', contentType: ['text/html', 'text/markdown'] },
} as const

const cache = { maxAgeSeconds: 60, varyByAccept: true } as const

const pageName = z.string().regex(/^\w[\w.-]{0,99}$/)

export const getDocs = defineRoute(
  {
    method: 'get',
    path: '/docs',
    operationId: 'getDocs',
    tag: 'Reference',
    summary: 'Read the documentation',
    description:
      'Guides, and a page for each call. Browsers get HTML, which loads nothing from another host. Programs get Markdown, as everybody does at the address of a page with `.md`. `/llms.txt` lists all pages.',
    cache,
    responses,
  },
  (c) => readPage(c, '/docs'),
)

export const getDocsMarkdown = defineRoute(
  {
    method: 'get',
    path: '/docs.md',
    operationId: 'getDocsMarkdown',
    tag: 'Reference',
    summary: 'Read the first page of the documentation',
    description: 'As Markdown.',
    cache,
    responses,
  },
  (c) => readPage(c, '/docs.md'),
)

export const getDocsPage = defineRoute(
  {
    method: 'get',
    path: '/docs/{page}',
    operationId: 'getDocsPage',
    tag: 'Reference',
    summary: 'Read a page of the documentation',
    description: 'As HTML or as Markdown.',
    params: z.object({ page: pageName.meta({ example: 'quickstart' }) }),
    cache,
    errors: ['not_found'],
    responses,
  },
  (c, { params: { page } }) => readPage(c, `/docs/${page}`),
)

export const getDocsFolderPage = defineRoute(
  {
    method: 'get',
    path: '/docs/{folder}/{page}',
    operationId: 'getDocsFolderPage',
    tag: 'Reference',
    summary: 'Read a page about an error code, a cause, or a call',
    description: '`details.doc_url` of an error and `docs` of a cause lead here.',
    params: z.object({
      folder: z
        .enum(['causes', 'decisions', 'errors', 'operations', 'recovery', 'runbooks'])
        .meta({ example: 'errors' }),
      page: pageName.meta({ example: 'not_found' }),
    }),
    cache,
    errors: ['not_found'],
    responses,
  },
  (c, { params: { folder, page } }) => readPage(c, `/docs/${folder}/${page}`),
)

const textForModels = (path: string, operationId: string, summary: string) =>
  defineRoute(
    {
      method: 'get',
      path,
      operationId,
      tag: 'Reference',
      summary,
      description: 'As llmstxt.org describes it.',
      cache: { maxAgeSeconds: 60, keptSeconds: 60 },
      errors: ['not_found'],
      responses: { 200: { description: 'The text, in Markdown.', contentType: 'text/plain' } },
    },
    async (c) => ({
      status: 200,
      headers: { 'Content-Type': 'text/plain; charset=utf-8' },
      body: fillIn(await readAsset(c, path), c.var.settings, asItIs),
    }),
  )

export const getOverviewForModels = textForModels(
  '/llms.txt',
  'getOverviewForModels',
  'Read what the pages are',
)
export const getAllForModels = textForModels('/llms-full.txt', 'getAllForModels', 'Read all guides and calls')

const asItIs = (name: string): string => name

const inHtml = (name: string): string =>
  name.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)

async function readPage(c: HubContext, path: string): Promise<Answer> {
  const isHtml = !path.endsWith('.md') && wantsPage(c, 'text/markdown')
  // The assets have HTML at the path without `.html`.
  const text = await readAsset(c, isHtml || path.endsWith('.md') ? path : `${path}.md`)
  return {
    status: 200,
    headers: isHtml ? pageHeaders : { 'Content-Type': markdownType },
    body: fillIn(text, c.var.settings, isHtml ? inHtml : asItIs),
  }
}

/** @throws {@link ApiError} 404 `not_found` where there is no such page, or the deployment left it out. */
async function readAsset(c: HubContext, path: string): Promise<string> {
  const asset = await c.env.ASSETS.fetch(new URL(path, c.req.url)).catch((error) => {
    throw unavailable('The documentation', error)
  })
  if (asset.status !== 200)
    throw new ApiError(
      'not_found',
      `${path} is not a page of the documentation. ${c.var.settings.BASE_URL.origin}/docs lists all pages.`,
    )
  return asset.text()
}
