import type { DashboardState } from '#local/dashboard/state.ts'
import { describeItem, type Item } from './columns.ts'
import { renderDetail } from './detail.ts'
import { element, getById } from './element.ts'
import { renderOverview } from './overview.ts'
import { type ListSection, titles, writePlace } from './place.ts'
import { readItems } from './server.ts'

const maxShown = 200

/** Show the items of a section that contain all searched words, and the chosen one. */
export async function showList<S extends ListSection>(
  section: S,
  id: string | undefined,
  state: DashboardState,
): Promise<void> {
  const items = await readItems(section)
  const found = items.filter(matches(getWords()))
  const rows = found.slice(0, maxShown).map((item) => renderRow(section, item, id))
  const empty = items.length > 0 ? 'Nothing contains these words.' : `${titles[section]}: nothing yet.`
  getById('items').replaceChildren(
    rows.length > 0 ? element('ul', {}, ...rows) : element('p', { class: 'small' }, empty),
  )
  const chosen = items.find((item) => item.id === id)
  if (chosen) await renderDetail(section, chosen, state)
  else getById('detail').replaceChildren(...renderOverview(section, items))
}

function getWords(): string[] {
  const input = getById('search').querySelector('input') as HTMLInputElement
  return input.value.toLowerCase().split(/\s+/).filter(Boolean)
}

function matches(words: readonly string[]): (item: object) => boolean {
  return (item) => {
    const text = JSON.stringify(item).toLowerCase()
    return words.every((word) => text.includes(word))
  }
}

function renderRow<S extends ListSection>(
  section: S,
  item: Item<S>,
  chosen: string | undefined,
): HTMLElement {
  const { title, subtitle, status, isBad } = describeItem(section, item)
  return element(
    'li',
    {},
    element(
      'a',
      { href: writePlace(section, item.id), 'aria-current': item.id === chosen ? 'true' : undefined },
      element('b', {}, title),
      element('span', { class: isBad ? 'bad' : 'small' }, status),
      element('span', { class: 'small' }, status && subtitle ? `, ${subtitle}` : subtitle),
      ' ',
      element('time', {}, String(item.at ?? '').slice(11, 19)),
    ),
  )
}
