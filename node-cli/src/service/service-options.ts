/** The values that the files of a service contain. */
export interface ServiceOptions {
  /** Program and arguments that start nodectl, without `serve`. */
  readonly command: readonly string[]
  /** Settings that it is given on its command line, where they come before those of the environment. */
  readonly flags: readonly string[]
  readonly user: string
  readonly dataDir: string
  readonly environmentFile: string
}
