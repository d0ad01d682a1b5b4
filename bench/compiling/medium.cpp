// What a longer submission uses: containers of containers, algorithms with lambdas, strings, streams, a priority queue.
#include <bits/stdc++.h>
using namespace std;

struct Edge {
    int to;
    long long cost;
};

vector<long long> distances(const vector<vector<Edge>>& graph, int start) {
    vector<long long> best(graph.size(), LLONG_MAX);
    priority_queue<pair<long long, int>, vector<pair<long long, int>>, greater<>> queue;
    queue.push({best[start] = 0, start});
    while (!queue.empty()) {
        auto [cost, node] = queue.top();
        queue.pop();
        if (cost > best[node]) continue;
        for (const auto& edge : graph[node])
            if (cost + edge.cost < best[edge.to]) queue.push({best[edge.to] = cost + edge.cost, edge.to});
    }
    return best;
}

int main() {
    int nodes, edges;
    cin >> nodes >> edges;
    map<string, int> numbers;
    vector<vector<Edge>> graph(nodes);
    for (int i = 0; i < edges; i++) {
        string from, to;
        long long cost;
        cin >> from >> to >> cost;
        int a = numbers.try_emplace(from, (int)numbers.size()).first->second;
        int b = numbers.try_emplace(to, (int)numbers.size()).first->second;
        graph[a].push_back({b, cost});
        graph[b].push_back({a, cost});
    }
    vector<pair<string, long long>> found;
    auto best = distances(graph, 0);
    for (const auto& [name, number] : numbers) found.emplace_back(name, best[number]);
    sort(found.begin(), found.end(), [](const auto& x, const auto& y) { return tie(x.second, x.first) < tie(y.second, y.first); });
    unordered_map<long long, set<string>> groups;
    for (auto& [name, distance] : found) groups[distance].insert(name);
    ostringstream out;
    for (auto& [name, distance] : found) out << name << ' ' << fixed << setprecision(3) << sqrt((double)distance) << '\n';
    cout << out.str() << groups.size() << endl;
}
