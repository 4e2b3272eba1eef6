import * as z from 'zod'
import { type CauseCode, causes } from '../../../protocol/causes.ts'
import { type ErrorCode, errorCodes } from '../../../protocol/errors.ts'
import type { HubContext } from '../../context.ts'
import { ApiError, unavailable } from '../../errors.ts'
import type { Answer } from '../../http/answer.ts'
import { defineRoute } from '../../route.ts'

/** The page loads nothing from another host; swagger-ui sets inline styles and draws its icons from data URLs. */
const contentSecurityPolicy =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

const page = (title: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/docs/swagger-ui.css">
<style>#swagger-ui-more .information-container { display: none }</style>
</head>
<body>
<div id="swagger-ui"><p>Loading the reference… It needs JavaScript; <a href="/v1/openapi.json">the OpenAPI document</a> does not.</p></div>
<div id="swagger-ui-more"></div>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>
`

// Swagger UI 5.35 shows the first three calls alone of a document with 120 paths or more, so the page has two of them, each with whole groups
// of calls, and operators read theirs in the document.
const startScript = `fetch('/v1/openapi.json')
  .then((answer) => answer.json())
  .then((spec) => {
    const paths = Object.entries(spec.paths).filter(([path]) => !path.startsWith('/admin/'))
    const parts = [[], []]
    for (const group of Map.groupBy(paths, ([, calls]) => Object.values(calls)[0].tags[0]).values())
      parts[parts[0].length + group.length > paths.length / 2 ? 1 : 0].push(...group)
    for (const [at, part] of parts.entries())
      SwaggerUIBundle({
        spec: { ...spec, paths: Object.fromEntries(part) },
        dom_id: ['#swagger-ui', '#swagger-ui-more'][at],
        deepLinking: true,
        displayRequestDuration: true,
        persistAuthorization: false,
        validatorUrl: null,
        docExpansion: 'list',
      })
  })
`

const escapeHtml = (text: string): string =>
  text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)

export const getDocs = defineRoute(
  {
    method: 'get',
    path: '/docs',
    operationId: 'getDocs',
    tag: 'Reference',
    summary: 'Browse this reference',
    description:
      'A page that shows the OpenAPI document and can send test calls. It loads nothing from another host.',
    cache: { maxAgeSeconds: 60 },
    responses: { 200: { description: 'The page.', contentType: 'text/html; charset=utf-8' } },
  },
  (c) => ({
    status: 200,
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': contentSecurityPolicy,
    },
    body: page(`${c.var.settings.PROFILE.service} API`),
  }),
)

export const getErrorPage = defineRoute(
  {
    method: 'get',
    path: '/docs/errors/{code}',
    operationId: 'getErrorPage',
    tag: 'Reference',
    summary: 'Read what an error code means, and what to do about it',
    description: '`details.doc_url` of an error leads here.',
    params: z.object({
      code: z.enum(Object.keys(errorCodes) as ErrorCode[]).meta({ example: 'not_found' }),
    }),
    cache: { maxAgeSeconds: 3600 },
    errors: ['not_found'],
    responses: { 200: { description: 'The page, in Markdown.', contentType: 'text/markdown' } },
  },
  async (c, { params: { code } }) => readAsset(c, `errors/${code}.md`, 'text/markdown; charset=utf-8'),
)

export const getCausePage = defineRoute(
  {
    method: 'get',
    path: '/docs/causes/{code}',
    operationId: 'getCausePage',
    tag: 'Reference',
    summary: 'Read about a cause of missing work or reward, and what to do about it',
    description: '`docs` of a cause leads here.',
    params: z.object({ code: z.enum(Object.keys(causes) as CauseCode[]).meta({ example: 'offline' }) }),
    cache: { maxAgeSeconds: 3600 },
    errors: ['not_found'],
    responses: { 200: { description: 'The page, in Markdown.', contentType: 'text/markdown' } },
  },
  async (c, { params: { code } }) => readAsset(c, `causes/${code}.md`, 'text/markdown; charset=utf-8'),
)

export const getDocsFile = defineRoute(
  {
    method: 'get',
    path: '/docs/{file}',
    operationId: 'getDocsFile',
    tag: 'Reference',
    summary: 'Read a file of the reference page',
    description: 'Scripts and styles that `/docs` loads.',
    params: z.object({
      file: z
        .enum(['start.js', 'swagger-ui-bundle.js', 'swagger-ui.css'])
        .meta({ example: 'swagger-ui.css' }),
    }),
    cache: { maxAgeSeconds: 3600 },
    errors: ['not_found'],
    responses: { 200: { description: 'The file.', contentType: 'text/javascript' } },
  },
  async (c, { params: { file } }) => {
    const type = file.endsWith('.css') ? 'text/css; charset=utf-8' : 'text/javascript; charset=utf-8'
    return file === 'start.js'
      ? { status: 200, headers: { 'Content-Type': type }, body: startScript }
      : readAsset(c, file, type)
  },
)

/** @throws {@link ApiError} 404 `not_found` where the deployment left the file out. */
async function readAsset(c: HubContext, file: string, type: string): Promise<Answer> {
  const asset = await c.env.ASSETS.fetch(new URL(`/${file}`, c.req.url)).catch((error) => {
    throw unavailable('The reference page', error)
  })
  if (!asset.ok)
    throw new ApiError('not_found', 'This deployment has no reference page; read /v1/openapi.json.')
  const etag = asset.headers.get('ETag')
  return { status: 200, headers: { 'Content-Type': type, ...(etag && { ETag: etag }) }, body: asset.body }
}
