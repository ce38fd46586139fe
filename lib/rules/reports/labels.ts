import { getResolutionRate, type WeeklyReport } from './weekly.ts'

const dayFormat = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'long',
  year: 'numeric',
  timeZone: 'UTC',
})

/** Return a date, such as 2026-11-16, as people read it. */
export function formatDate(date: string): string {
  return dayFormat.format(Date.parse(`${date}T00:00:00Z`))
}

export function formatPeriod({ starts_on, ends_on, timezone }: WeeklyReport): string {
  return `${formatDate(starts_on)} to ${formatDate(ends_on)} (${timezone})`
}

/** Return a number of seconds in its two largest units: 45 s, 12 min, 3 h 5 min, 2 d 4 h. */
export function formatDuration(seconds: number | null): string {
  if (seconds === null) return 'none'
  if (seconds < 60) return `${Math.round(seconds)} s`
  const minutes = Math.round(seconds / 60)
  if (minutes < 60) return `${minutes} min`
  const hours = Math.floor(minutes / 60)
  return hours < 24
    ? join([hours, 'h'], [minutes % 60, 'min'])
    : join([Math.floor(hours / 24), 'd'], [hours % 24, 'h'])
}

function join(...parts: [number, string][]): string {
  return parts
    .filter(([count]) => count > 0)
    .map((part) => part.join(' '))
    .join(' ')
}

const formatHour = (hour: number) => `${String(hour).padStart(2, '0')}:00`
export const formatDay = (day: string) => day.charAt(0).toUpperCase() + day.slice(1)

export function formatRate(flow: Parameters<typeof getResolutionRate>[0]): string {
  return `${Math.round(getResolutionRate(flow) * 100)} %`
}

/** A number of the report with its name. */
export interface Metric {
  label: string
  value: string
}

/** Return the most important numbers of a report. */
export function listMetrics({ sessions, ai_sessions, time_to_claim }: WeeklyReport): Metric[] {
  return [
    { label: 'Sessions started', value: String(sessions.started + ai_sessions.started) },
    { label: 'Resolved', value: String(sessions.resolved + ai_sessions.resolved) },
    { label: 'Escalated', value: String(sessions.escalated + ai_sessions.escalated) },
    { label: 'Time to claim, median', value: formatDuration(time_to_claim.median_seconds) },
    { label: 'Time to claim, 90 %', value: formatDuration(time_to_claim.p90_seconds) },
    { label: 'Escalations not claimed', value: String(time_to_claim.unclaimed) },
  ]
}

export function formatBusiestHours({ busiest_hours }: WeeklyReport): string {
  if (busiest_hours.length === 0) return 'No session was started.'
  return busiest_hours
    .map(({ day, hour, started }) => `${formatDay(day)} ${formatHour(hour)} (${started})`)
    .join(', ')
}

/** A bar chart: named series, and their values for each label. */
export interface Chart {
  title: string
  series: readonly string[]
  bars: readonly { label: string; values: readonly number[] }[]
}

export function listCharts({ by_day, by_hour }: WeeklyReport): { days: Chart; hours: Chart } {
  return {
    days: {
      title: 'Sessions per day',
      series: ['Started', 'Resolved'],
      bars: by_day.map(({ day, started, resolved }) => ({
        label: formatDay(day).slice(0, 3),
        values: [started, resolved],
      })),
    },
    hours: {
      title: 'Sessions started per hour of the day',
      series: ['Started'],
      bars: by_hour.map(({ hour, started }) => ({ label: String(hour).padStart(2, '0'), values: [started] })),
    },
  }
}

/** Return what a chart shows, for people who do not see it. */
export function describeChart({ series, bars }: Chart): string {
  return series
    .map((name, index) => {
      const values = bars.map(({ values }) => values[index] ?? 0)
      const total = values.reduce((sum, value) => sum + value, 0)
      const most = Math.max(0, ...values)
      return `${name}: ${total} in all${most > 0 ? `, most in ${bars[values.indexOf(most)]?.label} (${most})` : ''}.`
    })
    .join(' ')
}

/** Return the end of the axis: the next even number of 1 to 10 times a power of ten, so that bars fill half of it. */
export function getAxisEnd({ bars }: Chart): number {
  const most = Math.max(1, ...bars.flatMap(({ values }) => values))
  const power = 10 ** Math.floor(Math.log10(most))
  // The middle of the axis has a line, which should be at a whole number.
  const ends = [1, 2, 4, 6, 8, 10].map((factor) => factor * power)
  return ends.find((end) => end >= most && end % 2 === 0) ?? most
}
