import { expect, test } from 'vitest'
import { importsOf, listFiles, readText } from './graph.ts'

const lateImport = /\bimport\('(\.[^'?]+)'\)/g

test('tests of the hub load every module that its objects and routes import late', () => {
  const loaded = importsOf('workers/test/late-modules.ts', readText('workers/test/late-modules.ts'))
  const hub = listFiles('.ts').filter(
    (file) =>
      /^(workers|durable-objects)\//.test(file) &&
      !/\.test\.ts$|^workers\/(test|scripts)\//.test(file) &&
      // The list of routes can say itself what it loads.
      file !== 'workers/routes/index.ts',
  )
  const late = hub.flatMap((file) => {
    const calls = [...readText(file).matchAll(lateImport)].map(([call]) => call)
    return importsOf(file, calls.join('\n'))
  })
  expect(late.length).toBeGreaterThan(5)
  expect(late.filter((file) => !loaded.includes(file))).toEqual([])
})
