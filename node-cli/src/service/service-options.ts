/** What the files of a service name. */
export interface ServiceOptions {
  /** Program and arguments that start nodectl, without `serve`. */
  readonly command: readonly string[]
  readonly user: string
  readonly dataDir: string
  readonly environmentFile: string
}
