import { isApiError } from '@support-flow/client'
import { type ReactNode, useId, useState } from 'react'
import { useAction } from './load.ts'

/**
 * Return the messages of the service by field. `['body', 'variables', 'printer_ip']` becomes
 * `variables.printer_ip`.
 */
function readFieldMessages(error: unknown): ReadonlyMap<string, string> {
  return new Map(isApiError(error) ? error.errors.map(({ loc, msg }) => [loc.slice(1).join('.'), msg]) : [])
}

/** Show a failure. `shown` are the fields that have their message beside them. */
export function ErrorNote({
  error,
  shown = {},
  onRetry,
}: {
  error: unknown
  shown?: object
  onRetry?: () => void
}) {
  if (error === undefined) return null
  const messages = [...readFieldMessages(error)]
  const others = messages.filter(([name]) => !(name in shown))
  const text = isApiError(error)
    ? error.message
    : 'The service cannot be reached. Check the connection and try again.'
  return (
    <div className="note bad" role="alert">
      {messages.length > 0 && others.length === 0 ? 'Check the marked fields.' : text}
      {others.map(([name, message]) => (
        <p key={name}>
          {name} {message}
        </p>
      ))}
      {onRetry && <Actions actions={[{ text: 'Try again', act: async () => onRetry() }]} />}
    </div>
  )
}

interface Action {
  text: ReactNode
  act: () => Promise<unknown>
  isMain?: boolean
}

/**
 * Show buttons of which one runs at a time, then what else belongs beside them, and the failure of the last
 * one.
 */
export function Actions({ actions, children }: { actions: (Action | false)[]; children?: ReactNode }) {
  const [current, setCurrent] = useState(0)
  const { run, error, isBusy } = useAction((action: Action, index: number) => {
    setCurrent(index)
    return action.act()
  })
  return (
    <>
      <p className="buttons">
        {actions.map(
          (action, index) =>
            action && (
              <button
                key={`${index}`}
                type="button"
                className={action.isMain ? 'main' : ''}
                disabled={isBusy}
                onClick={() => run(action, index)}
              >
                {isBusy && index === current ? 'One moment …' : action.text}
              </button>
            ),
        )}
        {children}
      </p>
      <ErrorNote error={error} />
    </>
  )
}

/**
 * A field of a form. With `rows` it is a text of several lines, with `choices` a list of values and their
 * texts.
 */
export interface FieldOptions {
  label: string
  help?: string | null
  required?: boolean
  rows?: number
  choices?: readonly (readonly [value: string, text: string])[]
  multiple?: boolean
  type?: string
  autoComplete?: string
  inputMode?: 'numeric'
  defaultValue?: string | string[] | undefined
  defaultChecked?: boolean
}

interface FormProps<Name extends string> {
  fields: Record<Name, FieldOptions>
  submitText: string
  /** A second button, whose value is that of the field `action`. */
  otherSubmit?: { text: string; action: string }
  onSubmit: (values: Record<Name, string>, form: FormData) => Promise<unknown>
  /** Leave it to the service to say what is missing. */
  noValidate?: boolean
}

/** A form that keeps what was typed when the service refuses it, and shows each message beside its field. */
export function Form<Name extends string>({
  fields,
  submitText,
  otherSubmit,
  onSubmit,
  noValidate,
}: FormProps<Name>) {
  const { run, error, isBusy } = useAction((form: FormData) =>
    onSubmit(Object.fromEntries(form) as Record<Name, string>, form),
  )
  const messages = readFieldMessages(error)
  return (
    <form
      noValidate={noValidate}
      onSubmit={(event) => {
        event.preventDefault()
        void run(new FormData(event.currentTarget, (event.nativeEvent as SubmitEvent).submitter))
      }}
    >
      {Object.entries<FieldOptions>(fields).map(([name, options]) => (
        <Field key={name} name={name} message={messages.get(name)} {...options} />
      ))}
      <ErrorNote error={error} shown={fields} />
      <button type="submit" className="main" disabled={isBusy}>
        {isBusy ? 'One moment …' : submitText}
      </button>
      {otherSubmit && (
        <button type="submit" name="action" value={otherSubmit.action} disabled={isBusy}>
          {otherSubmit.text}
        </button>
      )}
    </form>
  )
}

function Field({
  label,
  help,
  message,
  rows,
  choices,
  ...others
}: FieldOptions & { name: string; message: string | undefined }) {
  const id = useId()
  const control = { ...others, id, 'aria-invalid': message !== undefined, 'aria-describedby': `${id}-more` }
  const options = choices?.map(([value, text]) => (
    <option key={value} value={value}>
      {text}
    </option>
  ))
  return (
    <div className="field">
      <label htmlFor={id}>
        {label} {!others.required && <small>(optional)</small>}
      </label>
      {rows ? (
        <textarea rows={rows} {...control} />
      ) : options ? (
        <select {...control}>{options}</select>
      ) : (
        <input {...control} />
      )}
      <small id={`${id}-more`} className={message ? 'bad' : ''}>
        {message === undefined ? help : message.startsWith(label) ? message : `${label} ${message}`}
      </small>
    </div>
  )
}
