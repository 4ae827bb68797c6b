package dev.panamark.ptx.analyze;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Where lanes that part meet again: the immediate post-dominators of a control-flow graph. */
final class Flow {
    private Flow() {}

    /**
     * The immediate post-dominator of every node; -1 where there is none but the end.
     *
     * @param successors of each node; none for a node that ends
     */
    static int[] meets(int[][] successors) {
        int n = successors.length;
        List<List<Integer>> predecessors = new ArrayList<>();
        for (int i = 0; i <= n; i++) {
            predecessors.add(new ArrayList<>());
        }
        for (int i = 0; i < n; i++) {
            for (int s : successors[i]) {
                predecessors.get(s).add(i);
            }
            if (successors[i].length == 0) {
                predecessors.get(n).add(i);
            }
        }
        int[] order = new int[n + 1];
        Arrays.fill(order, -1);
        int[] sequence = postorder(predecessors, n, order);
        int[] up = new int[n + 1];
        Arrays.fill(up, -1);
        up[n] = n;
        boolean changed = true;
        while (changed) {
            changed = false;
            for (int k = sequence.length - 2; k >= 0; k--) {
                int node = sequence[k];
                int best = -1;
                int[] next = successors[node].length == 0 ? new int[] {n} : successors[node];
                for (int s : next) {
                    if (up[s] >= 0) {
                        best = best < 0 ? s : common(best, s, up, order);
                    }
                }
                if (best != up[node]) {
                    up[node] = best;
                    changed = true;
                }
            }
        }
        int[] meets = new int[n];
        for (int i = 0; i < n; i++) {
            meets[i] = up[i] == n ? -1 : up[i];
        }
        return meets;
    }

    private static int common(int a, int b, int[] up, int[] order) {
        int x = a;
        int y = b;
        while (x != y) {
            while (order[x] < order[y]) {
                x = up[x];
            }
            while (order[y] < order[x]) {
                y = up[y];
            }
        }
        return x;
    }

    /** Nodes that reach the end, from the deepest to the end itself; without recursion, as graphs are deep. */
    private static int[] postorder(List<List<Integer>> edges, int root, int[] order) {
        int[] stack = new int[edges.size()];
        int[] at = new int[edges.size()];
        boolean[] seen = new boolean[edges.size()];
        int[] sequence = new int[edges.size()];
        int count = 0;
        int depth = 0;
        stack[0] = root;
        seen[root] = true;
        while (depth >= 0) {
            int node = stack[depth];
            if (at[node] < edges.get(node).size()) {
                int next = edges.get(node).get(at[node]++);
                if (!seen[next]) {
                    seen[next] = true;
                    stack[++depth] = next;
                }
            } else {
                order[node] = count;
                sequence[count++] = node;
                depth--;
            }
        }
        return Arrays.copyOf(sequence, count);
    }
}
