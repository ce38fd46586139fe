import type { DashboardState } from '#local/dashboard/state.ts'
import { element, getById } from './element.ts'
import { isListSection, type Section, titles, writePlace } from './place.ts'

let shown = ''

/** Show the sections with the number of their records. */
export function renderNavigation(state: DashboardState, current: Section): void {
  const items = (Object.keys(titles) as Section[]).map((section) => ({
    section,
    count: countItems(state, section),
  }))
  const key = JSON.stringify([items, current])
  if (key === shown) return
  shown = key
  getById('navigation').replaceChildren(
    ...items.map(({ section, count }) =>
      element(
        'a',
        { href: writePlace(section), 'aria-current': section === current ? 'page' : undefined },
        titles[section],
        count !== undefined && element('span', {}, count),
      ),
    ),
    element('a', { href: '/desk/previews' }, 'Previews'),
  )
}

function countItems(state: DashboardState, section: Section): number | undefined {
  if (!isListSection(section)) return undefined
  return section === 'logs' ? state.logs.count : state.services[section].count
}
