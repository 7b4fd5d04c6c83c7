"""Two people, each in a browser of their own, meet through a link."""

from collections.abc import Callable

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect
from visitor import PATIENCE, Visitor


def invite(host: Visitor, game: str = "Connect Four") -> str:
    """Set up a table with an open seat from the first page; its address, as copied from the page."""
    host.page.goto("/")
    host.page.get_by_role("button", name=f"Play {game} with a friend").click()
    link = host.page.get_by_label("Link for the other players")
    link.wait_for(timeout=PATIENCE)
    return link.input_value()


def accept(guest: Visitor, link: str, name: str = "Grace") -> None:
    guest.page.goto(link)
    guest.page.get_by_label("Your name").fill(name)
    guest.page.get_by_role("button", name="Take a seat").click()
    guest.page.wait_for_selector(".turn.seated")


def test_two_people_play_a_game_through_a_link_while_another_watches(visit: Callable[..., Visitor]) -> None:
    host, guest, other = visit(), visit(phone=True), visit()
    link = invite(host)
    expect(host.page.locator(".status")).to_have_text("Waiting for one more player …")
    expect(host.page.locator(".seat.open")).to_have_count(1)
    assert Axe().run(host.page).violations_count == 0
    guest.page.goto(link)
    guest.page.get_by_role("button", name="Take a seat").wait_for()
    assert Axe().run(guest.page).violations_count == 0
    accept(guest, link)
    other.page.goto(link)
    expect(other.page.locator(".crowd-note")).to_have_text("You are watching")
    assert host.wait_for_turn()
    expect(host.page.locator(".seat").nth(1)).to_contain_text("Grace")
    expect(guest.page.locator(".status")).to_have_text("Red to move")
    host.move_without_waiting()
    guest.page.reload()  # the cookie knows the seat
    guest.move_without_waiting()
    expect(guest.page.get_by_role("button", name="Undo")).to_be_hidden()
    while host.wait_for_turn():
        host.move_without_waiting()
        if guest.wait_for_turn():
            guest.move_without_waiting()
    assert len(host.log()) == len(guest.log()) >= 7
    expect(other.page.locator(".table-page[data-state=over]")).to_be_visible()
    host.page.get_by_role("button", name="Rematch").click()
    guest.page.get_by_role("button", name="Go to the rematch").click()
    host.page.wait_for_url(lambda url: url != link)
    guest.page.wait_for_url(host.page.url)
    assert host.wait_for_turn()
    expect(guest.page.locator(".seat").nth(1)).to_contain_text("Grace (you)")


def test_a_draw_is_offered_and_accepted(visit: Callable[..., Visitor]) -> None:
    host, guest = visit(), visit(phone=True)
    accept(guest, invite(host))
    host.wait_for_turn()
    host.page.get_by_role("button", name="Offer draw").click()
    expect(host.page.locator(".notice").first).to_contain_text("You have offered a draw.")
    expect(guest.page.locator(".notice").first).to_contain_text("Red offers a draw.")
    assert Axe().run(guest.page).violations_count == 0
    guest.page.get_by_role("button", name="Accept").click()
    expect(host.page.locator(".status")).to_have_text("The game is a draw by agreement.")


def test_an_open_seat_is_given_to_a_bot(visitor: Visitor) -> None:
    invite(visitor)
    visitor.page.get_by_role("button", name="Let a bot play Yellow").click()
    assert visitor.wait_for_turn()
    visitor.make_a_move()
    assert visitor.wait_for_turn()
    assert len(visitor.log()) == 2


def test_the_others_see_who_has_left(visit: Callable[..., Visitor]) -> None:
    host, guest = visit(), visit()
    accept(guest, invite(host))
    host.wait_for_turn()
    guest.page.close()
    expect(host.page.locator(".notice", has_text="Grace has left. You can go on")).to_be_visible(timeout=PATIENCE)


def test_open_seats_are_chosen_when_a_table_is_set_up(visitor: Visitor) -> None:
    visitor.page.goto("/")
    visitor.page.get_by_role("button", name="Set up Connect Four").click()
    seed, name = visitor.page.get_by_label("Seed"), visitor.page.get_by_label("Your name, for the others")
    expect(name).to_be_hidden()
    visitor.page.get_by_label("Who plays Yellow").select_option("open")
    expect(seed).to_be_disabled()
    name.fill("Ada")
    visitor.page.get_by_role("button", name="Start").click()
    visitor.page.get_by_label("Link for the other players").wait_for(timeout=PATIENCE)
    expect(visitor.page.locator(".seat").first).to_contain_text("Ada (you)")
