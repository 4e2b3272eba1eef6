/** A page of the site. */
export interface Page {
  /** Its path on a hub: `/docs/sign-in`. */
  readonly address: string
  readonly title: string
  /** With links as the site has them. */
  readonly markdown: string
  /** The part of the reference that it belongs to. */
  readonly tag?: string
}

export const home = '/docs'
export const referenceHome = `${home}/reference`

/** Files whose names change with their contents are here, and may be kept for good. */
export const filesAddress = '/_app/immutable/docs'

/** The address of a file of the repository: folders of `docs/` stay, what is deeper becomes one name. */
export function addressOf(file: string): string {
  if (file === 'docs/README.md' || file === 'README.md') return home
  const path = file.replace(/^docs\//, '').replace(/\/README\.md$|\.md$/, '')
  const [folder, ...rest] = path.split('/')
  const isFolderOfDocs = file.startsWith('docs/') && rest.length > 0
  return `${home}/${isFolderOfDocs ? `${folder}/${rest.join('-')}` : path.replaceAll('/', '-').toLowerCase()}`
}

/** The name of a heading in addresses, as GitHub makes it. */
export const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-')

const link = /(!?)\[((?:[^[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)/g

/** Rewrites the targets of links, outside of code blocks; a link whose target becomes null leaves its text. */
export const mapLinks = (
  markdown: string,
  targetOf: (target: string, isPicture: boolean) => string | null,
): string =>
  markdown
    .split(/^(```[\s\S]*?^```)/m)
    .map((part, index) =>
      index % 2 === 1
        ? part
        : part.replaceAll(link, (_, mark: string, text: string, target: string) => {
            const next = targetOf(target, mark === '!')
            return next === null ? text : `${mark}[${text}](${next})`
          }),
    )
    .join('')

export const escapeHtml = (text: string): string =>
  text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
