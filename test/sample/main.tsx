import type { Me } from '@support-flow/client'
import { StrictMode, useSyncExternalStore } from 'react'
import { createRoot } from 'react-dom/client'
import { CasePage, CasesPage } from './cases.tsx'
import { client, isSignedIn, onSignInChange, signOut } from './client.ts'
import { FlowPage, FlowsPage } from './flows.tsx'
import { useLoad } from './load.ts'
import { NotifySwitch } from './notify.tsx'
import { Page, Shown } from './page.tsx'
import { QueuePage, useQueue } from './queue.tsx'
import { useRoute } from './route.ts'
import { SessionPage } from './session.tsx'
import { SignInPage } from './sign-in.tsx'

function App() {
  return useSyncExternalStore(onSignInChange, isSignedIn) ? <Desk /> : <SignInPage />
}

function Desk() {
  const me = useLoad((signal) => client.identity.auth.getMe(undefined, { signal }), [])
  return <Shown loaded={me}>{(user) => <Pages user={user} />}</Shown>
}

const tabs = { flows: 'Flows', cases: 'Cases', queue: 'Queue' }

function Pages({ user }: { user: Me }) {
  const [tab = 'flows', id] = useRoute()
  const queue = useQueue(user.id)
  return (
    <>
      <header>
        <strong>Support desk</strong>
        <nav aria-label="Pages">
          {Object.entries(tabs).map(([name, text]) => (
            <a
              key={name}
              href={`#/${name}`}
              aria-current={name === (tab === 'sessions' ? 'flows' : tab) ? 'page' : undefined}
            >
              {text}{' '}
              {name === 'queue' && Boolean(queue.data?.length) && (
                <span className="count">{queue.data?.length}</span>
              )}
            </a>
          ))}
        </nav>
        <span className="user">
          <NotifySwitch />
          {user.full_name}
          <button type="button" onClick={() => void signOut().catch(() => {})}>
            Sign out
          </button>
        </span>
      </header>
      <p className="news quiet" role="status">
        {queue.news}
      </p>
      {tab === 'flows' && (id ? <FlowPage key={id} id={id} /> : <FlowsPage />)}
      {tab === 'sessions' && id && <SessionPage key={id} id={id} />}
      {tab === 'cases' && (id ? <CasePage key={id} id={id} /> : <CasesPage />)}
      {tab === 'queue' && <QueuePage queue={queue} userId={user.id} />}
      {!(tab in tabs || tab === 'sessions') && (
        <Page title="There is no such page">{<a href="#/flows">To the flows</a>}</Page>
      )}
    </>
  )
}

createRoot(document.getElementById('root') as HTMLElement).render(
  <StrictMode>
    <App />
  </StrictMode>,
)
