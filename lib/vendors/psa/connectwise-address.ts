/**
 * Return the root of the API. Cloud sites use a separate API host (`api-…`). The address may already contain
 * the API's path, or a part of it: `/v4_6_release` is the path of the web client
 * (https://developer.connectwise.com/Best_Practices/Manage_Cloud_URL_Formatting).
 */
export function toApiRoot(baseUrl: string): string {
  const url = new URL(baseUrl)
  const site = /^(na|eu|au|aus|za)\.myconnectwise\.net$|^(staging)\.connectwisedev\.com$/.exec(url.hostname)
  if (site) url.hostname = `api-${url.hostname}`
  const [, prefix = '', release = 'v4_6_release'] =
    /^(.*?)(?:\/(v\d[^/]*))?(?:\/apis(?:\/3\.0)?)?$/.exec(url.pathname.replace(/(?<!\/)\/+$/, '')) ?? []
  return `${url.origin}${prefix}/${release}/apis/3.0`
}
