import adapter from '@sveltejs/adapter-static'
import { sveltekit } from '@sveltejs/kit/vite'
import { defineConfig } from 'vite'

const out = process.env.CONSOLE_OUT ?? 'dist'

/** An address of each screen. What stands for an id is seen until the page runs. */
const screens = [
  '*',
  '/projects/…',
  '/projects/…/try',
  '/rounds/…',
  '/receipts/…',
  '/slashes/…',
  '/tx/…',
  '/nodes/…',
  '/accounts/…',
  '/epochs/…/…',
  '/build/projects/…',
  '/…',
]

/** The live region of SvelteKit has an inline style, which the policy of the page refuses; app.css has the rule instead. */
const withoutInlineStyle = {
  name: 'without-inline-style',
  enforce: 'pre',
  transform: {
    filter: { id: /@sveltejs\/kit\/src\/runtime\/components\/root\.svelte$/ },
    handler: (code) => code.replace(/\sstyle="[^"]*"/g, ''),
  },
}

/** Without a build nothing leaves out the protocol's reading of base64, and no browser has `node:buffer`. */
const withoutBuffer = {
  name: 'without-buffer',
  apply: 'serve',
  enforce: 'pre',
  applyToEnvironment: ({ name }) => name === 'client',
  resolveId: { filter: { id: /^node:buffer$/ }, handler: () => '\0buffer' },
  load: { filter: { id: /^\0buffer$/ }, handler: () => 'export const Buffer = undefined' },
}

/**
 * What most screens need is two files, of Svelte and of the console: many small ones compress worse, and one would be evaluated
 * in one go, while nobody can click.
 */
const groups = [
  // SvelteKit reads its version when it is evaluated, which has to be after the page has told it.
  { name: 'start', test: /kit\/src\/runtime\/client\/payload\.js|vite\/preload-helper/, priority: 4 },
  {
    name: 'svelte',
    test: /node_modules\/(?:svelte|esm-env|clsx)\/|rolldown\/runtime/,
    priority: 1,
    minShareCount: 2,
  },
  // A group takes what its files import along: the texts of a screen come with it where they and their words are apart from what all have.
  { name: 'words', test: /src\/lib\/(?:format|ring|texts\/words)\./, priority: 3 },
  {
    name: (id) => /(\w+)\.ts$/.exec(id)[1],
    test: /src\/lib\/texts\/(?:home|projects|records|rounds|status)\.ts$/,
    priority: 2,
  },
  { name: 'common', minShareCount: 17 },
  // The frame of every screen has them, and few screens beside it.
  { name: 'frame', test: /src\/lib\/(?:own|texts\/account|wallet\/(?:pending|signing))\./, minShareCount: 2 },
  // Screens of somebody who is signed in have them.
  { name: 'own', test: /src\/lib\/(?:Tabs|parts|attempt|wallet\/Gate)\./, minShareCount: 2 },
]

export default defineConfig({
  plugins: [
    withoutInlineStyle,
    withoutBuffer,
    sveltekit({
      compilerOptions: { experimental: { async: true } },
      adapter: adapter({ pages: out, assets: out }),
      // Links are not followed: they lead to records that no build knows. `screens` has one address of each screen.
      prerender: { crawl: false, entries: screens },
      outDir: process.env.CONSOLE_WORK ?? '.svelte-kit',
      paths: { relative: false },
      csp: { mode: 'hash', directives: {} },
      // A page whose files are gone after a deployment asks for the version, and loads itself again where it is another.
      version: { name: process.env.CONSOLE_VERSION ?? 'unbuilt' },
    }),
  ],
  build: { assetsInlineLimit: 0, target: 'es2023' },
  environments: {
    client: {
      build: {
        rolldownOptions: { output: { codeSplitting: { groups } } },
      },
    },
  },
  // `npm start` runs the hub; `npx vite` serves the console beside it, with its changes at once.
  server: { proxy: { '/v1': process.env.HUB_URL ?? 'http://localhost:8787' } },
})
