import { describe, expect, it } from 'vitest'
import { buildWeeklyReport } from '#rules/reports/build-weekly.ts'
import { renderReportCsv } from '#rules/reports/csv.ts'
import { renderReportHtml } from '#rules/reports/html.ts'
import {
  type Chart,
  describeChart,
  formatBusiestHours,
  formatDuration,
  formatRate,
  getAxisEnd,
} from '#rules/reports/labels.ts'
import { renderSvgChart } from '#rules/reports/svg-chart.ts'
import { addDays, parseWeek } from '#rules/reports/week.ts'
import type { WeekCounts } from '#rules/reports/weekly.ts'
import { createWeekCounts } from '#test/support/week-counts.ts'

const createFlow = (tree_id: string, completed: number, resolved: number) => ({
  tree_id,
  name: `Flow ${tree_id}`,
  completed,
  resolved,
})
const createHour = (day: number, hour: number, sessions: number, ai_sessions = 0) => ({
  day,
  hour,
  sessions,
  ai_sessions,
  resolved: sessions,
})

function createReport(counts: Partial<WeekCounts> = {}) {
  return buildWeeklyReport(createWeekCounts(counts))
}

const createChart = (...values: number[][]): Chart => ({
  title: 'Sessions',
  series: ['Started', 'Resolved'].slice(0, values[0]?.length),
  bars: values.map((bar, index) => ({ label: `L${index}`, values: bar })),
})

describe('buildWeeklyReport', () => {
  const listIds = (flows: WeekCounts['flows']) => {
    const { helpful_flows, unhelpful_flows } = createReport({ flows })
    return [helpful_flows, unhelpful_flows].map((list) => list.map(({ tree_id }) => tree_id).join(' '))
  }

  it('counts a flow as helpful from 70 % resolved sessions, and as unhelpful below 50 %', () => {
    const flows = [
      createFlow('a', 10, 7),
      createFlow('b', 100, 69),
      createFlow('c', 10, 5),
      createFlow('d', 100, 49),
    ]
    expect(listIds(flows)).toEqual(['a', 'd'])
  })

  it('counts a flow from three completed sessions', () => {
    expect(
      listIds([createFlow('a', 2, 2), createFlow('b', 3, 3), createFlow('c', 2, 0), createFlow('d', 3, 0)]),
    ).toEqual(['b', 'd'])
  })

  it('lists the five flows with most resolved or unresolved sessions, and equal ones by id', () => {
    const helpful = [
      createFlow('b', 5, 5),
      createFlow('a', 5, 5),
      createFlow('c', 9, 8),
      createFlow('d', 4, 4),
      createFlow('e', 3, 3),
      createFlow('f', 6, 6),
    ]
    const unhelpful = helpful.map(({ tree_id, completed }) => createFlow(tree_id.toUpperCase(), completed, 1))
    expect(listIds([...helpful, ...unhelpful])).toEqual(['c f a b d', 'C F A B D'])
  })

  it('adds sessions of flows and AI sessions by day and by hour', () => {
    const report = createReport({
      hours: [createHour(1, 8, 2, 1), createHour(1, 9, 4), createHour(7, 8, 0, 5)],
    })
    expect([report.sessions.started, report.ai_sessions.started, report.ai_sessions.escalated]).toEqual([
      6, 6, 4,
    ])
    expect(
      report.by_day.map(({ date, day, started, resolved }) => `${date} ${day} ${started} ${resolved}`),
    ).toEqual([
      '2026-11-16 monday 7 6',
      '2026-11-17 tuesday 0 0',
      '2026-11-18 wednesday 0 0',
      '2026-11-19 thursday 0 0',
      '2026-11-20 friday 0 0',
      '2026-11-21 saturday 0 0',
      '2026-11-22 sunday 5 0',
    ])
    expect(report.by_hour).toHaveLength(24)
    expect(report.by_hour.filter(({ started }) => started > 0)).toEqual([
      { hour: 8, started: 8 },
      { hour: 9, started: 4 },
    ])
  })

  it('lists the three busiest hours, earlier ones first among equals, and no hour without sessions', () => {
    const hours = [
      createHour(2, 9, 3),
      createHour(1, 10, 3),
      createHour(1, 9, 2, 1),
      createHour(3, 7, 4),
      createHour(4, 7, 0),
    ]
    expect(formatBusiestHours(createReport({ hours }))).toBe(
      'Wednesday 07:00 (4), Monday 09:00 (3), Monday 10:00 (3)',
    )
    expect(formatBusiestHours(createReport({ hours: [createHour(4, 7, 0)] }))).toBe('No session was started.')
  })
})

it.each([
  [null, 'none'],
  [0, '0 s'],
  [59.4, '59 s'],
  [60, '1 min'],
  [3569, '59 min'],
  [3570, '1 h'],
  [3600 + 300, '1 h 5 min'],
  [86_340, '23 h 59 min'],
  [86_400, '1 d'],
  [2 * 86_400 + 23 * 3600, '2 d 23 h'],
  [2 * 86_400 + 4 * 3600 + 59, '2 d 4 h'],
])('formatDuration writes %j seconds as %s', (seconds, text) => {
  expect(formatDuration(seconds)).toBe(text)
})

it.each([
  [{ completed: 0, resolved: 0 }, '0 %'],
  [{ completed: 3, resolved: 2 }, '67 %'],
])('formatRate writes %j as %s', (flow, text) => {
  expect(formatRate(flow)).toBe(text)
})

it.each([
  [0, 2],
  [1, 2],
  [2, 2],
  [3, 4],
  [6, 6],
  [7, 8],
  [10, 10],
  [11, 20],
  [21, 40],
  [51, 60],
  [100, 100],
])('getAxisEnd ends the axis of at most %i at %i', (most, end) => {
  expect(getAxisEnd(createChart([0], [most]))).toBe(end)
})

it('describeChart names the total of each series, and where it is highest', () => {
  expect(describeChart(createChart([1, 0], [3, 0], [3, 0]))).toBe(
    'Started: 7 in all, most in L1 (3). Resolved: 0 in all.',
  )
})

describe('renderSvgChart', () => {
  it('draws a grid line at the start, the middle and the end, a bar per value above 0, and a label per bar', () => {
    expect(
      renderSvgChart(createChart([2, 1], [1, 0]), 'days')
        .split('\n')
        .slice(3, -1),
    ).toEqual([
      '<line class="grid" x1="48" x2="640" y1="192" y2="192"/><text class="label" x="40" y="196" text-anchor="end">0</text>',
      '<line class="grid" x1="48" x2="640" y1="104" y2="104"/><text class="label" x="40" y="108" text-anchor="end">1</text>',
      '<line class="grid" x1="48" x2="640" y1="16" y2="16"/><text class="label" x="40" y="20" text-anchor="end">2</text>',
      '<rect class="bar-0" x="89.4" y="16" width="105.6" height="176" rx="1.5"/><rect class="bar-1" x="196" y="104" width="105.6" height="88" rx="1.5"/><text class="label" x="196" y="214" text-anchor="middle">L0</text>',
      '<rect class="bar-0" x="385.4" y="104" width="105.6" height="88" rx="1.5"/><text class="label" x="492" y="214" text-anchor="middle">L1</text>',
    ])
  })

  it.each([
    [12, ['L0', 'L1', 'L2', 'L3', 'L4', 'L5', 'L6', 'L7', 'L8', 'L9', 'L10', 'L11']],
    [13, ['L0', 'L3', 'L6', 'L9', 'L12']],
  ])('of %i bars labels %j', (count, labels) => {
    const svg = renderSvgChart(createChart(...Array.from({ length: count }, () => [1])), 'hours')
    expect(Array.from(svg.matchAll(/>(L\d+)</g), ([, label]) => label)).toEqual(labels)
  })
})

it('RPT-13 the CSV of a report has one line per number', () => {
  const flows = [createFlow('a', 3, 3), createFlow('b', 4, 1)]
  const lines = renderReportCsv(createReport({ flows, hours: [createHour(1, 8, 2, 1)] })).split('\r\n')
  expect(lines[0]).toBe('\uFEFF"team","week","timezone","section","name","metric","value"')
  const prefix = '"Field service","2026-W47","Europe/Berlin",'
  expect(lines.slice(1, -1).every((line) => line.startsWith(prefix))).toBe(true)
  const numbers = lines.slice(1, -1).map((line) => line.slice(prefix.length).replaceAll('"', ''))
  expect(numbers.slice(0, 21)).toEqual([
    'sessions,,started,2',
    'sessions,,completed,8',
    'sessions,,resolved,6',
    'sessions,,escalated,2',
    'ai_sessions,,started,1',
    'ai_sessions,,resolved,3',
    'ai_sessions,,escalated,4',
    'time_to_claim,,claimed,3',
    'time_to_claim,,unclaimed,1',
    'time_to_claim,,median_seconds,240',
    'time_to_claim,,p90_seconds,',
    'helpful_flow,Flow a,completed,3',
    'helpful_flow,Flow a,resolved,3',
    'unhelpful_flow,Flow b,completed,4',
    'unhelpful_flow,Flow b,resolved,1',
    'day,2026-11-16,started,3',
    'day,2026-11-16,resolved,2',
    'day,2026-11-17,started,0',
    'day,2026-11-17,resolved,0',
    'day,2026-11-18,started,0',
    'day,2026-11-18,resolved,0',
  ])
  expect(numbers.slice(29, 30).concat(numbers.slice(37, 38), numbers.slice(52))).toEqual([
    'hour,00,started,0',
    'hour,08,started,3',
    'hour,23,started,0',
    ...[
      'previous,,started,4',
      'previous,,resolved,9',
      'previous,,escalated,7',
      'previous,,median_seconds,120',
    ],
    ...['open,,sessions,0', 'open,,ai_sessions,0', 'overdue_reviews,,count,0'],
  ])
})

describe('renderReportHtml', () => {
  const html = renderReportHtml(
    createReport({ flows: [createFlow('<a>', 3, 3)], hours: [createHour(1, 8, 2, 1)] }),
  )

  it('shows the numbers of flow sessions and AI sessions together', () => {
    const metrics = Array.from(
      html.matchAll(/<dt>(.*?)<\/dt><dd>(.*?)<\/dd>/g),
      ([, label, value]) => `${label}: ${value}`,
    )
    expect(metrics).toEqual([
      'Sessions started: 3',
      'Resolved: 9',
      'Escalated: 6',
      'Time to claim, median: 4 min',
      'Time to claim, 90 %: none',
      'Escalations not claimed: 1',
    ])
  })

  it('has a table of the flows that help, and a sentence instead of an empty table', () => {
    expect(html).toContain(
      '<h2>Flows that help</h2><table><thead><tr><th scope="col">Flow</th><th scope="col" class="number">Completed</th><th scope="col" class="number">Resolved</th><th scope="col" class="number">Rate</th></tr></thead><tbody><tr><th scope="row" dir="auto">Flow &lt;a&gt;</th><td class="number">3</td><td class="number">3</td><td class="number">100 %</td></tr></tbody></table>',
    )
    expect(html).toContain('<h2>Flows that do not help</h2><p class="muted">None this week.</p>')
  })

  it('has a legend only for a chart of two series', () => {
    const [, days, hours] = html.split('<section')
    expect([days?.includes('class="legend'), days?.startsWith(' class="single"')]).toEqual([true, false])
    expect([hours?.includes('class="legend'), hours?.startsWith(' class="single"')]).toEqual([false, true])
  })

  it('labels the bars with three letters of the day and two digits of the hour', () => {
    const labels = Array.from(html.matchAll(/text-anchor="middle">(.*?)</g), ([, label]) => label).join(' ')
    expect(labels).toBe('Mon Tue Wed Thu Fri Sat Sun 00 03 06 09 12 15 18 21')
  })

  it('shows the period and the busiest hours', () => {
    expect(html).toContain(
      '<p class="muted">Week 2026-W47, 16 November 2026 to 22 November 2026 (Europe/Berlin)</p>',
    )
    expect(html).toContain('<p>Busiest hours: Monday 08:00 (3)</p>')
  })
})

it.each([
  ['2026-W47', '2026-11-16'],
  ['2026-W01', '2025-12-29'],
  ['2026-W53', '2026-12-28'],
  ['2025-W53', undefined],
  ['2026-W00', undefined],
  ['2026-W54', undefined],
  ['2026-47', undefined],
])('parseWeek returns the Monday of %s: %s', (week, monday) => {
  const time = parseWeek(week)
  expect(time === undefined ? undefined : new Date(time).toISOString().slice(0, 10)).toBe(monday)
})

it('addDays continues in the next month and year', () => {
  expect([addDays('2026-12-31', 1), addDays('2024-02-28', 1)]).toEqual(['2027-01-01', '2024-02-29'])
})
