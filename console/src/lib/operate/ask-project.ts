import { operateTexts } from '../texts/operate.ts'
import { decisions } from './decisions.svelte.ts'
import { operate, type Project, type ReviewAction } from './operate.ts'

const t = operateTexts.projects

/** Asks whether the operator wants this of a project. */
export const askAboutProject = (project: Pick<Project, 'project_id' | 'name'>, action: ReviewAction) =>
  decisions.ask({
    title: t.titles[action](project.name),
    effects: t.effects[action],
    undo: t.undo[action],
    action: t.actions[action],
    done: t.done[action](project.name),
    reason: {
      label: action === 'approve' ? t.condition : t.reason,
      isNeeded: action === 'reject' || action === 'delist' || action === 'pause',
    },
    perform: (text) =>
      action === 'approve'
        ? operate.review(project.project_id, action, null, text === null ? [] : [text])
        : operate.review(project.project_id, action, text),
  })
