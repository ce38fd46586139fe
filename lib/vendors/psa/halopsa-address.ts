const slashes = /(?<!\/)\/+$/

/**
 * Return the site of HaloPSA. The vendor also shows the addresses of its API (`/api`), its authorisation
 * server (`/auth`) and its portal below it.
 */
export function toHaloSite(baseUrl: string): string {
  const url = new URL(baseUrl)
  return url.origin + url.pathname.replace(slashes, '').replace(/\/(?:api|auth|auth\/token|portal)$/i, '')
}

/** Return the address that issues tokens. The vendor shows the authorisation server without `/token`. */
export function toTokenUrl(baseUrl: string, authUrl: string | null | undefined): string {
  return `${authUrl ? toAuthorisationServer(authUrl) : `${toHaloSite(baseUrl)}/auth`}/token`
}

/** Return the address of an authorisation server without `/token`. */
export function toAuthorisationServer(authUrl: string): string {
  return authUrl.replace(slashes, '').replace(/\/token$/i, '')
}
