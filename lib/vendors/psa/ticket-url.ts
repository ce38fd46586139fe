import { toApiRoot } from './connectwise-address.ts'
import { toHaloSite } from './halopsa-address.ts'

// Both from public clients: the web client of ConnectWise shows a ticket by its record id on the host without
// `api-`, HaloPSA by a parameter.
const writers: Record<string, (baseUrl: string, id: string) => string> = {
  connectwise: (baseUrl, id) => {
    const site = toApiRoot(baseUrl)
      .replace('://api-', '://')
      .replace(/\/[^/]+\/apis\/3\.0$/, '')
    return `${site}/v4_6_release/services/system_io/Service/fv_sr100_request.rails?service_recid=${id}`
  },
  halopsa: (baseUrl, id) => `${toHaloSite(baseUrl)}/tickets?id=${id}`,
}

/** Return where a person opens a ticket, or null without a connection or for an id that is no number. */
export function writeTicketUrl(
  site: { provider: string; base_url: string } | undefined,
  ticketId: string | null,
): string | null {
  if (!site || ticketId === null || !/^\d{1,18}$/.test(ticketId)) return null
  return writers[site.provider]?.(site.base_url, ticketId) ?? null
}
