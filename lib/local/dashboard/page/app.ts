import type { DashboardState } from '#local/dashboard/state.ts'
import { renderActions } from './actions.ts'
import { renderBar } from './bar.ts'
import { clearDetail } from './detail.ts'
import { getById, showMessage } from './element.ts'
import { showList } from './list.ts'
import { renderNavigation } from './navigation.ts'
import { isListSection, readPlace, type Section } from './place.ts'
import { readState, send } from './server.ts'
import { renderUsers } from './users.ts'

const refreshMs = 1000
let shown = ''

/** Read the state, and draw what has changed. */
async function refresh(): Promise<void> {
  const state = await readState()
  const place = readPlace()
  renderBar(state)
  renderNavigation(state, place.section)
  // A list whose state has not changed is left alone, so that a selected text stays selected.
  const key = JSON.stringify([location.hash, describe(state, place.section)])
  if (key === shown) return
  shown = key
  await renderSection(state)
}

function describe(state: DashboardState, section: Section): unknown {
  if (section === 'queue') return [state.queue, state.services.queue]
  if (!isListSection(section)) return null
  return section === 'logs' ? state.logs : state.services[section]
}

async function renderSection(state: DashboardState): Promise<void> {
  const { section, id } = readPlace()
  const isList = isListSection(section)
  document.body.classList.toggle('open', !isList || id !== undefined)
  getById('list').hidden = !isList
  if (isList) return showList(section, id, state)
  clearDetail()
  await (section === 'users' ? renderUsers(state) : renderActions(state))
}

async function keepRefreshing(): Promise<void> {
  if (!document.hidden) await refresh().catch(() => showMessage('The local services do not answer.'))
  setTimeout(() => void keepRefreshing(), refreshMs)
}

const refreshNow = () => void refresh().catch((error: Error) => showMessage(error.message))
addEventListener('hashchange', refreshNow)
getById('search').addEventListener('input', () => {
  shown = ''
  refreshNow()
})
getById('clear').addEventListener('click', () => {
  const { section } = readPlace()
  if (!isListSection(section)) return
  void send('DELETE', `/desk/${section}`).then(() => {
    location.hash = section
    refreshNow()
  })
})
void keepRefreshing()
