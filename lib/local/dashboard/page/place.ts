import type { RecordedService } from '#local/vendors/records.ts'

/** The parts of the page. A list shows records of a service or lines of the log. */
export type ListSection = RecordedService | 'logs'
export type Section = ListSection | 'users' | 'actions'

export function isListSection(section: Section): section is ListSection {
  return section !== 'users' && section !== 'actions'
}

/** The sections in the order of the navigation, with their titles. */
export const titles: Record<Section, string> = {
  users: 'Sign in',
  actions: 'Actions',
  mail: 'E-mails',
  chat: 'Chat',
  phone: 'Phones',
  queue: 'Queue',
  hooks: 'Webhooks',
  push: 'Browsers',
  ai: 'AI calls',
  psa: 'PSA calls',
  billing: 'Billing calls',
  analytics: 'Analytics',
  redirect: 'Redirects',
  logs: 'Log',
}

/** Where the page is: `#mail`, or `#mail/<id>/<tab>`. */
export interface Place {
  section: Section
  id: string | undefined
  tab: string | undefined
}

export function readPlace(): Place {
  const [section = '', id, tab] = location.hash.slice(1).split('/').map(decodeURIComponent)
  return { section: section in titles ? (section as Section) : 'mail', id, tab }
}

/** Return the address of a place on the page. */
export function writePlace(section: Section, id?: string, tab?: string): string {
  return `#${[section, id, tab]
    .filter((part) => part !== undefined)
    .map(encodeURIComponent)
    .join('/')}`
}
