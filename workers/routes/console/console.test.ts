import { describe, expect, test } from 'vitest'
import { payloads } from '../../../testing/hostile-texts.ts'
import { bodyOf, client, errorOf, freshAddress } from '../../test/client.ts'
import { failingDatabase } from '../../test/failing-database.ts'
import { createListedProject } from '../../test/subscription.ts'
import { runSql } from '../../test/tables.ts'
import { givenReads } from './reads.ts'

const id = `0x${'12'.repeat(32)}`
const html = { Accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' }
const typeOf = ({ headers }: Response) => headers.get('Content-Type')

describe('the first page', () => {
  test.each([
    ['nothing', undefined, 'application/json'],
    ['anything', { Accept: '*/*' }, 'application/json'],
    ['JSON', { Accept: 'application/json' }, 'application/json'],
    ['JSON before HTML', { Accept: 'application/json, text/html' }, 'application/json'],
    ['HTML, as browsers do', html, 'text/html'],
    ['HTML before JSON', { Accept: 'text/html, application/json' }, 'text/html'],
    ['HTML above JSON', { Accept: 'application/json;q=0.1, Text/HTML' }, 'text/html'],
    ['HTML below JSON', { Accept: 'text/html; charset=utf-8; Q=0.5, application/json' }, 'application/json'],
    ['no HTML', { Accept: 'text/html;q=0, */*' }, 'application/json'],
  ])('has the negotiated type for a caller that accepts %s', async (_, headers, type) => {
    const answer = await client().get('/', headers)
    expect([answer.status, typeOf(answer)]).toEqual([200, `${type}; charset=utf-8`])
    expect(answer.headers.get('Vary')).toMatch(/^Accept, /)
  })

  test('is JSON for everybody if the console is off, and its paths do not exist', async () => {
    const without = client({ bindings: { CONSOLE: 'off' } })
    expect(typeOf(await without.get('/', html))).toBe('application/json; charset=utf-8')
    const answer = await without.get('/rounds', html)
    expect([answer.status, (await errorOf(answer)).error]).toEqual([404, 'not_found'])
  })
})

describe('the page', () => {
  test.each(['/', '/projects?q=echo&sort=name', '/rounds/task%3A0x12', '/epochs/0x12/7'])(
    'at %s runs only files of this hub, and cannot be framed',
    async (path) => {
      const answer = await client().get(path, html)
      const policy = answer.headers.get('Content-Security-Policy')?.split('; ')
      expect(policy).toEqual(
        expect.arrayContaining([
          "default-src 'none'",
          "script-src 'self'",
          "style-src 'self'",
          "connect-src 'self'",
          "frame-ancestors 'none'",
          "require-trusted-types-for 'script'",
        ]),
      )
      expect(policy?.join()).not.toMatch(/unsafe|https?:|\*/)
      expect(answer.headers.get('Cache-Control')).toBe('public, no-cache')
      expect(await answer.text()).toContain('<script src="/_app/immutable/')
    },
  )

  test.each([
    ['/rounds', ['/v1/explorer/rounds?limit=25&kind=task']],
    [`/epochs/${id}/7`, [`/v1/explorer/epochs/${id}/7`]],
    ['/epochs/0x12/7', []],
    ['/nodes/%3E%3B%20rel%3Dx', ['/v1/devices/%3E%3B%20rel%3Dx']],
    ['/rounds?state=failed', []],
    ['/epochs/sample-echo/7', []],
    ['/me', []],
  ])('at %s makes the browser preload %j', async (path, reads) => {
    const { headers } = await client().get(path, html)
    const links = reads.map((read) => `<${read}>; rel=preload; as=fetch; crossorigin`)
    expect(headers.get('Link')).toBe(links.join(', ') || null)
  })

  test('loads immutable files, and other files are 404', async () => {
    const text = await (await client().get('/', html)).text()
    const [, file] = /src="(\/_app\/[^"]+)"/.exec(text) ?? []
    const answer = await client().get(String(file))
    expect([answer.status, typeOf(answer)]).toEqual([200, 'text/javascript; charset=utf-8'])
    expect(answer.headers.get('Cache-Control')).toBe('public, max-age=31536000, immutable')
    for (const path of [
      '/_app/immutable/entry/none.js',
      '/_app/immutable/entry/%2e%2e%2fopenapi.js',
      '/console.html',
    ])
      expect((await client().get(path)).status, path).toBe(404)
  })
})

describe('a page with embedded API answers', () => {
  test('embeds the public answers of the API in a block that does not execute', async () => {
    const project_id = await createListedProject({ listing: { name: '</script><script>alert(1)</script>' } })
    const caller = client()
    const given = givenIn(await (await caller.get(`/projects/${project_id}`, html)).text())
    expect(given?.params).toEqual({ project: project_id })
    expect(Object.keys(given?.answers ?? {})).toEqual(givenReads['/projects/{project}'])
    for (const [path, answer] of Object.entries(given?.answers ?? {}))
      expect(answer, path).toEqual(await bodyOf(caller.get(path.replaceAll('{project}', project_id))))
  })

  test('shows hostile texts of a project as plain text, before any script', async () => {
    const hostile = Object.fromEntries(
      ['name', 'tagline'].map((member) => [member, `${member}</script><!--"><img src=x onerror=alert(1)>`]),
    )
    const description = [...payloads, '</h1></script><!--<script>', '&lt;b&gt;&amp;', 'a\u2028b\u2029c'].join(
      '\n',
    )
    const project_id = await createListedProject({ listing: { ...hostile, description } })
    const page = await (await client().get(`/projects/${project_id}`, html)).text()
    expect(page).not.toMatch(/<(img|iframe|object|embed|base|meta http|svg onload)/)
    expect(page).not.toMatch(/<!--["<]/)
    expect(givenIn(page)?.answers['/v1/projects/{project}']).toMatchObject({
      ...hostile,
      listing: { description },
    })
    expect(shownIn(page, 'name')).toBe(hostile.name)
    expect(shownIn(page, 'tagline')).toBe(hostile.tagline)
    expect(shownIn(page, 'description')).toBe(description)
  })

  test('shows the name of the hub on every screen', async () => {
    const named = client({ bindings: { CONSOLE_BRAND: JSON.stringify({ name: 'Own <b>network' }) } })
    for (const path of ['/', '/projects', `/rounds/0x${'ab'.repeat(32)}`])
      expect(shownIn(await (await named.get(path, html)).text(), 'brand'), path).toBe('Own <b>network')
  })

  test('shows the id of a round as plain text, also if the round does not exist', async () => {
    const round = '"><img src=x onerror=alert(1)>'
    const page = await (await client().get(`/rounds/${encodeURIComponent(round)}`, html)).text()
    expect(page).not.toContain('<img')
    expect(shownIn(page, 'id')).toBe(round)
  })

  test('shows no texts for a project that does not exist', async () => {
    const page = await (await client().get(`/projects/0x${'ab'.repeat(32)}`, html)).text()
    expect(['name', 'tagline', 'description'].map((name) => shownIn(page, name))).toEqual(['', '', ''])
  })

  test('has no texts and no answer of a project if the database fails', async () => {
    const project_id = await createListedProject()
    const broken = failingDatabase((sql) => /\bprojects\b/.test(sql))
    const answer = await client({ bindings: { DB: broken } }).get(`/projects/${project_id}`, html)
    expect(answer.status).toBe(200)
    const page = await answer.text()
    expect(shownIn(page, 'name')).toBe('')
    expect(Object.keys(givenIn(page)?.answers ?? {})).not.toContain('/v1/projects/{project}')
  })

  test('hides the button to try a project that accepts no tasks, also for clients with a cached copy', async () => {
    const project_id = await createListedProject()
    const path = `/projects/${project_id}`
    const first = await client().get(path, html)
    expect(first.headers.get('Cache-Control')).not.toMatch(/max-age=[1-9]/)
    expect(await first.text()).not.toMatch(/data-shown="try"[^>]* hidden/)
    const held = { ...html, 'If-None-Match': first.headers.get('ETag') ?? '' }
    await runSql("UPDATE projects SET listing_status = 'paused' WHERE project_id = ?", project_id)
    const changed = await client().get(path, held)
    expect(changed.status).toBe(200)
    expect(await changed.text()).toMatch(/data-shown="try"[^>]* hidden/)
  })

  test('is 304 for its ETag until an answer changes', async () => {
    const caller = client()
    const first = await caller.get('/projects', html)
    await first.text()
    const again = await caller.get('/projects', { ...html, 'If-None-Match': first.headers.get('ETag') ?? '' })
    expect(again.status).toBe(304)
    await createListedProject()
    const changed = await caller.get('/projects', {
      ...html,
      'If-None-Match': first.headers.get('ETag') ?? '',
    })
    expect(changed.status).toBe(200)
    await changed.text()
  })

  test.each(['/projects?q=echo', '/projects/sample-echo', '/rounds', '/me'])(
    'embeds no answers at %s',
    async (path) => {
      const text = await (await client().get(path, html)).text()
      expect(givenIn(text)).toBe(null)
    },
  )

  test('omits answers that do not exist, and a hostile id cannot close the block', async () => {
    const round = '</script><script>alert(1)</script>'
    const text = await (await client().get(`/rounds/${encodeURIComponent(round)}`, html)).text()
    expect(text).not.toContain('<script>alert')
    const given = givenIn(text)
    expect([given?.params, Object.keys(given?.answers ?? {})]).toEqual([{ round }, ['/']])
  })

  test('does not wait for a late answer, and embeds the others', async () => {
    const late = failingDatabase((sql) => /from "projects"/.test(sql), { isSilent: true })
    const answer = await client({ bindings: { DB: late } }).get('/projects', html)
    expect(Object.keys(givenIn(await answer.text())?.answers ?? {})).toEqual(['/', '/v1/categories'])
  })

  test('makes no API reads for a HEAD request', async () => {
    const caller = client({ address: freshAddress() })
    const remaining = async () => {
      const { headers } = await caller.fetch('/projects', { method: 'HEAD', headers: html })
      return Number(headers.get('RateLimit-Remaining'))
    }
    const first = await remaining()
    expect(await remaining()).toBe(first - 1)
  })

  test('is served without the answers of a failing database', async () => {
    const answer = await client({ bindings: { DB: failingDatabase(() => true) } }).get('/projects', html)
    expect(answer.status).toBe(200)
    expect(Object.keys(givenIn(await answer.text())?.answers ?? {})).toEqual(['/'])
  })
})

/** The text that a browser shows in an element that the hub fills. */
function shownIn(page: string, name: string): string | undefined {
  const [, text] = new RegExp(`data-shown="${name}"[^>]*>([^<]*)<`).exec(page) ?? []
  return text
    ?.replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&')
}

/** The JSON in the block of a page; null if the page has no block. */
function givenIn(page: string): { params: unknown; answers: Record<string, unknown> } | null {
  const [, block] = /<script type="application\/json" id="given">(.*?)<\/script>/s.exec(page) ?? []
  return block === undefined ? null : JSON.parse(block)
}

describe('an address that does not exist', () => {
  test('is a 404 page for browsers and JSON for programs', async () => {
    const answer = await client().get('/nothing/here', html)
    expect([answer.status, typeOf(answer)]).toEqual([404, 'text/html; charset=utf-8'])
    expect(answer.headers.get('Content-Security-Policy')).toContain("frame-ancestors 'none'")
    expect(answer.headers.get('Vary')).toBe('Accept')
    expect(await answer.text()).toContain('<script src="/_app/immutable/')
    expect((await errorOf(await client().get('/nothing/here'))).error).toBe('not_found')
  })

  test.each(['/v1/nothing', '/admin/v1/nothing', '/docs/no-such-page', '/_app/nothing'])(
    'is JSON for everybody at %s',
    async (path) => {
      const answer = await client().get(path, html)
      expect([answer.status, (await errorOf(answer)).error]).toEqual([404, 'not_found'])
    },
  )

  test('is JSON for everybody if the console is off', async () => {
    const answer = await client({ bindings: { CONSOLE: 'off' } }).get('/nothing/here', html)
    expect([answer.status, (await errorOf(answer)).error]).toEqual([404, 'not_found'])
  })
})
