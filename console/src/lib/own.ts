/** Whether the hub keeps a picture: those of other hosts are not loaded, so that nobody else learns who looks. */
export const isOwn = (url: string | null | undefined): url is string =>
  !!url && URL.canParse(url) && new URL(url).origin === location.origin
