import adapter from '@sveltejs/adapter-static'
import { sveltekit } from '@sveltejs/kit/vite'
import { defineConfig } from 'vite'

const out = process.env.CONSOLE_OUT ?? 'dist'

/** The live region of SvelteKit has an inline style, which the policy of the page refuses; app.css has the rule instead. */
const withoutInlineStyle = {
  name: 'without-inline-style',
  enforce: 'pre',
  transform: {
    filter: { id: /@sveltejs\/kit\/src\/runtime\/components\/root\.svelte$/ },
    handler: (code) => code.replace(/\sstyle="[^"]*"/g, ''),
  },
}

export default defineConfig({
  plugins: [
    withoutInlineStyle,
    sveltekit({
      adapter: adapter({ pages: out, assets: out, fallback: 'console.html' }),
      outDir: process.env.CONSOLE_WORK ?? '.svelte-kit',
      paths: { relative: false },
      csp: { mode: 'hash', directives: {} },
      // A page whose files are gone after a deployment asks for the version, and loads itself again where it is another.
      version: { name: process.env.CONSOLE_VERSION ?? 'unbuilt' },
    }),
  ],
  build: { assetsInlineLimit: 0, target: 'es2023' },
  // What most screens need is one file: in many small ones it compresses worse.
  environments: {
    client: {
      build: {
        rolldownOptions: { output: { codeSplitting: { groups: [{ name: 'common', minShareCount: 14 }] } } },
      },
    },
  },
  // `npm start` runs the hub; `npx vite` serves the console beside it, with its changes at once.
  server: { proxy: { '/v1': process.env.HUB_URL ?? 'http://localhost:8787' } },
})
