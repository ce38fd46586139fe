import { useState } from 'react'
import { client } from './client.ts'
import { Actions, Form } from './form.tsx'
import { Page } from './page.tsx'

interface DemoPerson {
  email: string
  password: string
  description: string
}
const demoPeople: DemoPerson[] = JSON.parse(import.meta.env.VITE_DEMO_PEOPLE)

const fields = {
  email: { label: 'E-mail', required: true, autoComplete: 'username' },
  password: { label: 'Password', required: true, type: 'password', autoComplete: 'current-password' },
}

export function SignInPage() {
  const [mfaToken, setMfaToken] = useState('')
  const signIn = async ({ email, password }: { email: string; password: string }) => {
    const answer = await client.identity.auth.login({ email, password })
    // The client has stored the tokens, unless the user has a second factor.
    if ('mfa_token' in answer) setMfaToken(answer.mfa_token)
  }
  if (mfaToken) return <SecondFactor mfaToken={mfaToken} />
  const toAction = (person: DemoPerson) => ({
    text: (
      <>
        {person.email.split('@')[0]} <small>{person.description}</small>
      </>
    ),
    act: () => signIn(person),
  })
  return (
    <Page title="Sign in">
      <Form fields={fields} submitText="Sign in" onSubmit={signIn} />
      {demoPeople.length > 0 && (
        <section>
          <h2>Demo people</h2>
          <Actions actions={demoPeople.map(toAction)} />
        </section>
      )}
    </Page>
  )
}

function SecondFactor({ mfaToken }: { mfaToken: string }) {
  return (
    <Page title="Second factor">
      <Form
        fields={{
          code: { label: 'Code', required: true, inputMode: 'numeric', autoComplete: 'one-time-code' },
        }}
        submitText="Continue"
        onSubmit={({ code }) => client.identity.mfa.completeChallenge({ mfa_token: mfaToken, code })}
      />
    </Page>
  )
}
